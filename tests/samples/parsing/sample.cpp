#include <vector>
using namespace std;
namespace net {
/// Talks.
template <typename T>
class Client : public Base {
 public:
  Client(int depth) : depth_(depth) {}
  virtual int call(int tries = 3) const override { return tries; }
  int limit = 5;
  enum class Level { Low = 1 };
};
}  // namespace net

int Client::go(const std::string& path, int depth = 2) {
  try {
    throw std::runtime_error("lost");
  } catch (const std::exception& e) {
    stop(e.what());
  } catch (...) {
  }
  auto twice = [](int q) { return q * 2; };
  if (auto p = find(path); p > 3) {
    std::sort(v.begin(), v.end());
  }
  auto made = new Session(1);
  const char* zone = std::getenv("ZONE");
  return path == "x" ? 1 : 2;
}
