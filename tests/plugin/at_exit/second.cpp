// Calls the operator of the first unit from destructors: it is there if that unit is older, and else it is gone.
#include "story.h"

namespace {

using namespace story;
namespace key = topbit::key;

int answer(const item& i) { return 10 * i.n; }
void pass_on(const topbit::operator_handle& op, topbit::key_set keys, topbit::boxed_stack& s) {
  op.redispatch_boxed(keys & topbit::below(key::UserTop1), s);
}

struct caller {
  const char* when;
  topbit::operator_handle handle = early.handle();  // defined or not
  explicit caller(const char* text) : when(text) {}
  ~caller() {
    expect(calls_or_raises(early, {{key::CPU, key::Tracer}, 3}) == (first_is_older ? 3 : -1), when);
    expect(calls_or_raises(handle.typed<int(const item&)>(), {key::CPU, 4}) == (first_is_older ? 4 : -1), when);
    expect(topbit::to_string(key::SparsePrivateUse1) == (first_is_older ? "SparseNpu" : "SparsePrivateUse1"), when);
  }
};
const caller before_the_library("after the destruction of this unit's library");
const auto block = topbit::fragment("exit").def(late).impl<&answer>(late, key::CPU);
const auto fallback = topbit::fallback<&pass_on>(key::UserTop1);
const caller after_the_library("before the destruction of this unit's library");

topbit::plugin loaded = topbit::load_plugin(AT_EXIT_PLUGIN);

// Registered by functions that run at exit, one of them before anything is destroyed that exists now.
void at_the_exit() {
  expect(calls_or_raises(late, {{key::CPU, key::UserTop1}, 2}) == 20, "a handler runs before older objects go");
  expect(host::area(item{key::CPU, 2}) == 14, "the plugin serves until its handle goes");
}
const int registered = std::atexit(&at_the_exit);

}  // namespace
