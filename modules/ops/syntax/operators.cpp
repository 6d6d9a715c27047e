module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;

namespace topbit {

tensor operator/(const scalar& a, const tensor& b) { return aten::div_Tensor(detail::wrapped(b, a), b); }

namespace detail {

scalar number_in(const tensor& t) {
  if (!t.defined()) throw error("item: found an undefined tensor, wanted one element");
  return aten::_local_scalar_dense(t);
}

}  // namespace detail

}  // namespace topbit
