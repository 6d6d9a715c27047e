// Modes of all threads. They stay until the process ends, so that this case runs alone, by its tag.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>

import topbit;
import topbit.modes;

namespace tb = topbit;
namespace modes = topbit::modes;

namespace {

struct count {
  std::atomic<int> calls = 0;
  void operator()(modes::call& c) {
    ++calls;
    // What a mode calls is not seen by itself.
    tb::call_text(tb::find("aten::relu"), {"[1]"});
    c.proceed();
  }
};
int taken(count& c) { return c.calls.exchange(0); }

// Two operators below, one above.
void composite() {
  const tb::no_grad alone;
  tb::call_text(tb::find("aten::swapaxes"), {"[[1, 2]]", "0", "1"});
}

}  // namespace

TEST_CASE("modes: those of all threads see the calls of every thread", "[.all_threads]") {
  static count first, second, below;
  tb::thread_key_state before = tb::current_thread_keys();
  modes::push_for_all_threads(first, modes::above);
  composite();
  CHECK(taken(first) == 1);
  std::thread(composite).join();
  CHECK(taken(first) == 1);

  // Of several, the last one sees a call first, and its own call is seen by the one before.
  modes::push_for_all_threads(second, modes::above);
  std::thread(composite).join();
  CHECK(taken(second) == 1);
  CHECK(taken(first) == 2);

  // Those of the thread see a call before them.
  int seen = 0;
  {
    const modes::scope own(
        [&](modes::call& c) {
          ++seen;
          CHECK(second.calls == 0);
          c.proceed();
        },
        modes::above);
    composite();
  }
  CHECK(seen == 1);
  CHECK(taken(second) == 1);
  CHECK(taken(first) == 2);

  modes::push_for_all_threads(below, modes::below);
  std::thread(composite).join();
  CHECK(taken(below) > 1);
  CHECK(taken(second) == 1);
  // The thread's own keys stay as they were.
  CHECK(tb::current_thread_keys().include == before.include);
  const std::string text = tb::to_string(tb::explain(tb::aten::relu, tb::tensor({1.f})));
  CHECK(text.find("count, pushed at") != std::string::npos);
}
