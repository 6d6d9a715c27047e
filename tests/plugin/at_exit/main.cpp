// A program whose static objects hold registrations of every kind and call operators from their destructors. It
// ends with 0 if all of that went well.
#include "story.h"

namespace {

using namespace story;
namespace key = topbit::key;

int forty_two(const item&) { return 42; }

// Made by main(), so destroyed before all objects of the units; the handle it has outlives what it is for.
struct visitor {
  std::optional<topbit::operator_handle> gone;
  topbit::library_block over = topbit::implement("exit", key::CPU).impl<&forty_two>(early);
  ~visitor() {
    expect(early(item{key::CPU, 1}) == 42, "a library of a local static object serves until it goes");
    over.reset();
    expect(early(item{key::CPU, 1}) == 1, "and gives way to the one before it");
    expect(!gone->is_defined(), "a handle outlives its operator");
    expect(calls_or_raises(gone->typed<int(const item&)>(), {key::CPU, 1}) == -1, "and raises");
  }
};

void registers_at_exit() {
  const auto block = topbit::fragment("at_exit").def<&forty_two>("made");
  expect(topbit::find("at_exit::made").typed<int(const item&)>()(item{}) == 42, "a handler may register");
}

}  // namespace

int main(int argc, char**) {
  // Half of the handlers come before the local static object, half after it.
  if (argc > 1) std::atexit(&registers_at_exit);
  static visitor v;
  if (argc == 1) std::atexit(&registers_at_exit);
  {
    const auto passing = topbit::fragment("exit").def<&forty_two>("for_a_while");
    v.gone = topbit::find("exit::for_a_while");
  }
  static thread_local auto of_this_thread = topbit::fragment("exit").def<&forty_two>("of_this_thread");
  expect(topbit::find("exit::of_this_thread").typed<int(const item&)>()(item{}) == 42, "a thread's own library");
  expect(early(item{key::CPU, 1}) == 42, "all is registered when main() runs");
  return 0;
}
