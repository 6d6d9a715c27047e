// An access check: some operators require a grant, which a thread holds for a scope. Copy namespace access_check.
//
// Nested calls are checked as well, since the kernel redispatches and never excludes its own key. This is not a
// security boundary: code can exclude the key or call redispatch().
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

import topbit.core;
namespace tb = topbit;

namespace access_check {
constexpr tb::dispatch_key own_key = tb::key::UserTop2;              // above all other layers
constexpr std::string_view restricted[] = {"file::", "clock::set"};  // a namespace; an operator with its overloads
thread_local std::vector<std::string_view> granted;                  // empty in a new thread

bool covers(std::string_view what, std::string_view op) {
  return op.starts_with(what) && (what.ends_with("::") || op.size() == what.size() || op[what.size()] == '.');
}

struct [[nodiscard]] grant {  // the text must outlive it
  explicit grant(std::string_view what) { granted.push_back(what); }
  ~grant() { granted.pop_back(); }
  grant(const grant&) = delete;
};

void check_call(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& stack) {
  const auto covers_op = [&](std::string_view what) { return covers(what, op.name()); };
  if (std::ranges::any_of(restricted, covers_op) && std::ranges::none_of(granted, covers_op)) {
    throw tb::error(std::string(op.name()) + ": found no grant on this thread; make an access_check::grant");
  }
  op.redispatch_boxed(keys.below_highest(), stack);
}

const auto fallback = tb::fallback<&check_call>(own_key);
}  // namespace access_check

const auto file = tb::library("file").def<[](std::string_view) { std::puts("removed"); }>("remove");
const auto tool = tb::library("tool").def<[](std::string_view path) {  // needs no grant, but the operator it calls does
  tb::find("file::remove").typed<void(std::string_view)>()(path);
}>("tidy");

int main() {
  const auto checking = tb::registry::process().include_always(access_check::own_key);
  const auto tidy = [] {
    try {
      tb::find("tool::tidy").typed<void(std::string_view)>()("a.txt");
    } catch (const tb::error& e) {
      std::puts(e.what());
    }
  };
  tidy();  // prints: file::remove: found no grant on this thread; make an access_check::grant
  const access_check::grant allowed("file::");
  tidy();                            // prints: removed
  const std::jthread another(tidy);  // prints: file::remove: found no grant on this thread; make an access_check::grant
}
