module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

using detail::wrapped;

tensor operator-(const scalar& a, const tensor& b) { return ops::sub(wrapped(b, a, false), b); }
tensor operator/(const scalar& a, const tensor& b) { return ops::div(wrapped(b, a, true), b); }
tensor& operator+=(tensor& a, const scalar& b) { return ops::add_(a, wrapped(a, b, false)); }
tensor& operator-=(tensor& a, const scalar& b) { return ops::sub_(a, wrapped(a, b, false)); }
tensor& operator*=(tensor& a, const scalar& b) { return ops::mul_(a, wrapped(a, b, false)); }
tensor& operator/=(tensor& a, const scalar& b) { return ops::div_(a, wrapped(a, b, true)); }

double item(const tensor& t) {
  if (!t.defined()) throw error("item: found an undefined tensor, wanted one element");
  if (t.numel() != 1) throw shape_error("item: found sizes " + to_string(t.sizes()) + ", wanted one element");
  const tensor host = to(to(detach(t), cpu), dtype::float64);
  detail::check_storage({nullptr, "item"}, host);
  return *host.data_as<double>();
}

}  // namespace topbit
