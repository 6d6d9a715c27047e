// Runs operators without a kernel for a backend on the CPU and copies the results back. Copy namespace retry_elsewhere.
// The backend needs memory and a kernel for copy_. Refused: views, since a copy shares no memory; several devices.
// Not detected: arguments that share memory, one of which is written. Not supported: resizing a written argument.
#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>
import topbit;
namespace tb = topbit;
namespace retry_elsewhere {
tb::tensor copy(tb::tensor to, const tb::tensor& from) {  // below all layers, like the call
  return tb::aten::copy_.redispatch({tb::key_of(to.device().type), tb::key_of(from.device().type)}, to, from, false);
}
tb::tensor moved(const tb::tensor& t, tb::device to) {
  return !t.defined() || t.device() == to ? t : copy(tb::author::make_tensor(t.sizes(), t.dtype(), to), t);
}
void run(const tb::operator_handle& op, tb::boxed_stack& stack) {
  const tb::author::schema_view* schema = op.parsed_schema();
  const auto refuse = [&](const char* why) { throw tb::error(std::string(op.name()) + ": not for the CPU: " + why); };
  if (schema == nullptr) refuse("no schema says what it writes");
  const auto source_of = [&](const tb::author::schema_item& r) {  // the written argument that a result aliases
    return std::ranges::find_if(schema->arguments, [&](const auto& a) { return a.writes && a.alias == r.alias; });
  };
  for (const auto& r : schema->returns)
    if (!r.alias.empty() && source_of(r) == schema->arguments.end()) refuse("a result is a view");
  std::optional<tb::device> home, asked;  // device of the tensors; device argument, where the results go
  std::vector<tb::value> originals;       // still borrowed from the caller
  std::vector<std::pair<tb::tensor, tb::tensor>> written;  // and their copies
  for (tb::value& v : stack.top(op.argument_count())) {
    const bool writes = schema->arguments[originals.size()].writes;
    originals.push_back(std::move(v));
    v = tb::author::map_tensors(originals.back(), [&](const tb::tensor& t) {
      if (!t.defined()) return t;
      if (home.value_or(t.device()) != t.device()) refuse("its tensors are on several devices");
      home = t.device();
      return writes ? written.emplace_back(t, moved(t, tb::cpu)).second : moved(t, tb::cpu);
    });
    if (v.is<tb::device>()) asked = std::exchange(v, tb::value(tb::cpu)).get<tb::device>();
  }
  op.redispatch_boxed(tb::key::CPU, stack);  // exactly this key set: no autograd, no thread state
  for (const auto& [original, here] : written) copy(original, here);
  const auto back = [&](const tb::tensor& t) { return moved(t, asked ? *asked : home.value_or(t.device())); };
  for (std::size_t i = 0; i < op.result_count(); ++i) {
    tb::value& v = stack.top(op.result_count())[i];
    const auto source = source_of(schema->returns[i]) - schema->arguments.begin();
    v = schema->returns[i].writes ? originals[source] : tb::author::map_tensors(v, back);
  }
}
const auto fallback = tb::fallback<&run>(tb::key::PrivateUse1);
}  // namespace retry_elsewhere
inline constexpr tb::op<"demo::double_(Tensor(a!) self) -> Tensor(a!)"> twice;  // no kernel for the npu (npu/npu.cpp)
tb::tensor& twice_cpu(tb::tensor& self) { return self += self; }
const auto demo = tb::library("demo").def(twice).impl<&twice_cpu>(twice, tb::key::CPU);
int main() {
  tb::tensor t = tb::to(tb::from_values<float>({1, 2, 3}, {3}), tb::parse_device("npu"));
  std::cout << tb::to(twice(t), tb::cpu) << '\n';  // prints: [2., 4., 6.] (float32 [3])
}
