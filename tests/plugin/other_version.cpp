// An image that says it was built with a topbit of another time. The note is written out by hand, since there is no
// other topbit to build it with. Loading it would leave a trace that the test would see.
#include <cstdint>
#include <cstdlib>

namespace {

struct note {
  std::uint32_t owner_size = 8, description_size = 16, kind = 1;
  char owner[8] = "topbit";
  char description[16] = "0.0.9";
};
[[gnu::section(".note.topbit"), gnu::used]] const note built_with;
const int trace = setenv("TOPBIT_TEST_OTHER_VERSION", "ran", 1);

}  // namespace

extern "C" int use() { return trace; }
