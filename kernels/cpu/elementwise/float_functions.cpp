// The loops of the elementwise functions: rounding, roots, exponentials, trigonometry, activations, powers.
#include "elementwise/elementwise.h"
#include "gradient_functions.h"
#include "layout.h"
#include "vector_loops.h"

namespace tb_cpu::TOPBIT_ARCH {

namespace fn = tb_kernel::fn;

namespace {

template <typename F, int Inputs, tb_kernel::element_types Types>
constexpr loops function_loops() {
  loops all = best_loops<F, Inputs>();
  if constexpr (Types == tb_kernel::element_types::numbers_only) {
    if (all.integer == nullptr) all.integer = loop<F, int64_t, Inputs>;
  }
  return all;
}

constexpr loop_table make_table() {
  loop_table all{};
#define TB_ELEMENTWISE_FUNCTION(code, function, inputs, types, result, size, note) \
  add_loops(all, TB_##code, function_loops<fn::function, inputs, tb_kernel::element_types::types>(), false);
#include "elementwise.def"
  return all;
}

}  // namespace

constinit const loop_table float_loops = make_table();

}  // namespace tb_cpu::TOPBIT_ARCH
