module topbit.sparse;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :registrations;

namespace topbit::sparse {

namespace {

// An operator without a kernel for these layouts. The first argument of such a layout is named.
void refuse_operator(const operator_handle& op, boxed_stack& stack) {
  const std::span<const value> arguments = stack.top(op.argument_count());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto fits = [](const tensor& t) { return t.defined() && is_sparse(t); };
    if (const tensor* const t = author::find_tensor(arguments[i], fits); t != nullptr) {
      author::refuse_argument(op, i, t->layout());
    }
  }
  author::refuse_layout(op.name(), {}, layout::sparse_coo, layout::strided, op.name());
}

}  // namespace

bool register_foundation() {
  register_parts();
  register_construct();
  register_access();
  register_convert();
  register_copies();
  register_views();
  register_selections();
  register_unary();
  register_arithmetic();
  register_product_parts();
  register_spgemm();
  register_product();
  register_reduce();
  register_softmax();
  register_mask();
  register_reader();
  fallback<&refuse_operator>(key::AnySparse).keep();
  fallback<&refuse_operator>(key::AnySparseCsr).keep();
  return true;
}

}  // namespace topbit::sparse
