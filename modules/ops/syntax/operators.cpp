module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :registration.composite;

namespace topbit {

tensor operator/(const scalar& a, const tensor& b) { return aten::div_Tensor(detail::wrapped(b, a), b); }

namespace detail {

tensor one_element(const tensor& t, dtype type) {
  if (!t.defined()) throw error("item: found an undefined tensor, wanted one element");
  if (t.numel() != 1) throw shape_error("item: found sizes " + to_string(t.sizes()) + ", wanted one element");
  const tensor host = to(to(author::make_alias(t), cpu), type);
  check_storage({nullptr, "item"}, host);
  return host;
}

}  // namespace detail

}  // namespace topbit
