package a.b;
import java.util.List;
import static x.Y.*;

/** Talks. */
@Service("net")
public class Client extends Base implements C {
  public static final int MAX = 3;
  @Inject private String name = "x", other;
  enum Level { LOW(1), HIGH }
  Client(int depth) { this.depth = depth; }

  // Calls.
  @Override
  @Timeout(value = 5)
  public int call(final int tries, String... rest) throws IOException {
    if (tries < MAX) {
      throw new IllegalArgumentException("few " + tries);
    } else if (rest == null) return 1;
    else {
      other();
    }
    while (tries >= 1) { step(); }
    for (int i = 0; i < 5; i++) turn(i);
    switch (tries) {
      case 1:
        low();
        break;
      default:
        high();
    }
    int r = switch (tries) {
      case 1, 2 -> 3;
      default -> 4;
    };
    try { go(); } catch (IOException | TimeoutException e) { stop(e); }
    list.stream().map(x -> x.id()).count();
    String zone = System.getenv("ZONE");
    tries += 1;
    return rest instanceof Object ? 1 : 2;
  }
}
interface Closer { boolean close(int how); }
record Pair(int left) { }
@interface Note { int value() default 3; }
