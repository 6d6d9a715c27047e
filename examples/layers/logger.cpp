// Logs every call of every operator, indented by nesting depth, with its results or exception. Copy namespace logger.
#include <cstdio>
#include <exception>
#include <span>
#include <string>

import topbit;
namespace tb = topbit;

namespace logger {
constexpr tb::dispatch_key own_key = tb::key::UserTop1;
thread_local int depth = 0;  // nesting depth of this thread's calls

// One write per line, so that lines of different threads do not interleave.
void write(const tb::operator_handle& op, const std::string& what) {
  std::printf("%s\n", (std::string(2 * static_cast<std::size_t>(depth), ' ') + std::string(op.name()) + what).c_str());
}

std::string types_of(std::span<const tb::value> values) {
  std::string text;
  for (const tb::value& v : values) text += (text.empty() ? "" : ", ") + std::string(v.type_name());
  return "(" + text + ")";
}

void log_call(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& stack) {
  struct nested {  // restores the depth after an exception too
    nested() { ++depth; }
    ~nested() { --depth; }
  };
  write(op, types_of(stack.top(op.argument_count())));
  try {
    const nested inside;
    op.redispatch_boxed(keys.below_highest(), stack);
  } catch (const std::exception& e) {
    write(op, std::string(" threw: ") + e.what());
    throw;
  }
  write(op, " gave " + types_of(stack.top(op.result_count())));
}
const auto fallback = tb::fallback<&log_call>(own_key);  // no cost until a thread includes the key
}  // namespace logger
int main() {
  const tb::tensor a = tb::from_values<float>({1, 2}, {1, 2});
  const tb::include_guard on_this_thread(logger::own_key);  // for the process: registry::process().include_always()
  tb::t(a);                                                 // a composite: the operator it calls is logged too
  try {
    tb::swapaxes(a, 0, 2);
  } catch (const tb::shape_error&) {
  }
}

// prints: aten::t(tensor)
// prints:   aten::transpose.int(tensor, int64_t, int64_t)
// prints:   aten::transpose.int gave (tensor)
// prints: aten::t gave (tensor)
// prints: aten::swapaxes(tensor, int64_t, int64_t)
// prints:   aten::transpose.int(tensor, int64_t, int64_t)
// prints:   aten::transpose.int threw: aten::transpose.int: found dimension 2, wanted -2 to 1
// prints: aten::swapaxes threw: aten::swapaxes: in aten::transpose.int: found dimension 2, wanted -2 to 1
