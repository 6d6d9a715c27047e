// 040: boxed calls. An operator found by name takes its arguments from a stack, and one boxed kernel serves every
// operator, present and future.
#include <cstdint>
#include <cstdio>
#include <string>

import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }
template <>
struct topbit::schema_type<"Image"> {
  using value = image;
  using argument = const image&;
};

inline constexpr tb::op<"img::grow(Image self, int by) -> Image"> grow;
inline constexpr tb::op<"img::area(Image self) -> int"> area;

const auto kernels = tb::library("img")
                         .def(grow)
                         .impl<[](const image& i, std::int64_t by) {
                           return image{i.keys, i.width + static_cast<int>(by), i.height + static_cast<int>(by)};
                         }>(grow, tb::key::CPU)
                         .def(area)
                         .impl<[](const image& i) { return std::int64_t{i.width} * i.height; }>(area, tb::key::CPU);

// A fallback: one boxed kernel for every operator at this key.
void log_call(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& stack) {
  op.redispatch_boxed(keys & tb::below(tb::key::UserTop1), stack);
  std::printf("%s took %d, gave", std::string(op.name()).c_str(), static_cast<int>(op.argument_count()));
  for (const tb::value& v : stack.top(op.result_count())) std::printf(" %s", std::string(v.type_name()).c_str());
  std::printf("\n");
}
const auto logger = tb::fallback<&log_call>(tb::key::UserTop1);

int main() {
  tb::boxed_stack stack;
  stack.push(image{tb::key::CPU, 3, 4});
  stack.push(std::int64_t{2});
  tb::registry::process().find("img::grow").call_boxed(stack);  // replaces the arguments by the result
  std::printf("%d wide\n", stack[0].get<image>().width);

  tb::include_guard logging(tb::key::UserTop1);
  tb::registry::process().find("img::area").call_boxed(stack);
  std::printf("%d\n", static_cast<int>(stack.pop().get<std::int64_t>()));
  grow(image{tb::key::CPU, 1, 1}, 5);  // typed calls go through the same layer

  stack.push(image{tb::key::CPU, 3, 4});
  stack.push(2.5);
  try {
    tb::registry::process().find("img::grow").call_boxed(stack);
  } catch (const tb::bad_argument& e) {
    std::printf("%s\n", e.what());
  }
}

// prints: 5 wide
// prints: img::area took 1, gave int64_t
// prints: 30
// prints: img::grow took 2, gave image
// prints: img::grow, argument 2 'by': found 'double', wanted 'int64_t'
