using System.Text;
namespace Net.Http;

/// <summary>Talks.</summary>
[Serializable, Obsolete("old")]
public class Client : Base {
  public const int Max = 3;
  private readonly string name = "x";
  public int Timeout { get; set; } = 30;
  public int Depth => 4;
  public Client(int depth = 1) { this.depth = depth; }

  // Calls.
  [HttpGet]
  public async Task<int> Call(int tries, string path = "/") {
    if (tries < Max) {
      throw new ArgumentException("few");
    } else if (path is null) return 1;
    else {
      Other();
    }
    while (tries >= 1) { Step(); }
    for (int i = 0; i < 5; i++) Turn(i);
    switch (tries) {
      case 1:
        Low();
        break;
      case > 5:
      default:
        High();
        break;
    }
    var r = tries switch { 1 => 2, _ => 3 };
    try { Go(); } catch (IOException e) when (e.Lost) { Stop(); } catch { }
    http.Get(path, retries: 3);
    var made = new Session(1) { Depth = 2 };
    var zone = Environment.GetEnvironmentVariable("ZONE") ?? "utc";
    var q = path ?? throw new Lost("m");
    list.Select(x => x.Id);
    int Local(int p) => p + 1;
    tries += 1;
    return tries;
  }
}
enum Level { Low = 1, High }
record Pair(int Left);
interface ICloser { bool Close(int how); }
struct Point { int x; }
delegate void Done(int code);
