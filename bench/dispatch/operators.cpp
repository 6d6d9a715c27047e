#include <utility>

#include "cases.h"

import topbit.core;

#include "operators.h"
#include "problem.h"

template <>
struct topbit::schema_type<"Tensor"> {
  using value = problem::item;
  using argument = const problem::item&;
};

namespace {

namespace tb = topbit;

constexpr std::string_view ns = "aten::", rest = "(Tensor self, Tensor other) -> int";

template <std::size_t I>
consteval auto schema_text() {
  constexpr names::parts name = names::at(I);
  tb::fixed_string<ns.size() + names::length(I) + rest.size() + 1> text;
  std::size_t n = 0;
  for (std::string_view piece : {ns, name.verb, name.ending, name.overload, rest}) {
    for (char c : piece) text.chars[n++] = c;
  }
  return text;
}

template <std::size_t I>
inline constexpr tb::op<schema_text<I>()> numbered;

std::int64_t kernel(const problem::item& a, const problem::item& b) { return problem::sum(a, b); }

template <std::size_t I>
constexpr operators::one make() {
  return {numbered<I>.name(), [](tb::library_block& block) { block.def(numbered<I>); },
          [](tb::library_block& block) {
            for (tb::dispatch_key key : operators::kernel_keys) block.impl<&kernel>(numbered<I>, key);
          },
          [](tb::library_block& block) { block.impl<&kernel>(numbered<I>, tb::key::CompositeImplicitAutograd); }};
}

}  // namespace

constexpr std::array<operators::one, names::count> operators::all = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array{make<I>()...};
}(std::make_index_sequence<names::count>{});
