// The loops of elementwise arithmetic, bitwise operations and predicates. The compiler vectorizes them.
#include "elementwise/elementwise.h"
#include "layout.h"

namespace tb_cpu::TOPBIT_ARCH {

namespace fn = tb_kernel::fn;

namespace {

constexpr loop_table make_table() {
  loop_table all{};
#define TB_ELEMENTWISE_NUMBER(code, function, inputs, types, result, size, note) \
  add_loops(all, TB_##code, types<fn::function, inputs>(),                       \
            tb_kernel::result_rule::result == tb_kernel::result_rule::predicate);
#include "elementwise.def"
  return all;
}

}  // namespace

constinit const loop_table arithmetic_loops = make_table();

}  // namespace tb_cpu::TOPBIT_ARCH
