module topbit.autocast;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import topbit.ops;
import :cast_cache;

namespace topbit {

namespace {

tensor copy_as(const tensor& x, dtype to) { return aten::_to_copy(x, arg<"dtype"> = to); }

bool is_weight(const tensor& x) { return x.dtype() == dtype::float32 && requires_grad(x) && is_leaf(x) && !is_view(x); }

}  // namespace

tensor detail::cast_out_of_line(const tensor& x, dtype to) {
  const autocast_state& now = this_thread_autocast;
  // A replay must not read a copy that was made outside, nor the scope one that only a replay fills.
  const bool caches =
      now.caches && now.outermost != nullptr && !author::random_recorder::is_recording() && !is_inference_mode();
  if (!caches) return copy_as(x, to);
  cast_cache*& cache = *now.outermost;
  if (cache != nullptr) {
    if (const tensor* const found = cache->find(x, to); found != nullptr && requires_grad(x)) return *found;
  }
  if (!is_weight(x)) return copy_as(x, to);
  if (cache == nullptr) cache = new cast_cache;
  std::optional<enable_grad> recorded;
  if (!grad_enabled()) recorded.emplace();
  tensor made = copy_as(x, to);
  cache->put(x, to, made);
  return made;
}

tensor author::cached_cast(const tensor& x, dtype to, backend on) {
  return detail::cast_target(to, on).changes(x) ? detail::cast_out_of_line(x, to) : x;
}

void detail::raise_banned(std::string_view op) {
  throw dtype_error(std::string(op) +
                        ": may overflow in float16 under autocast; call binary_cross_entropy_with_logits on the values "
                        "before the sigmoid, or end autocast for this call",
                    std::string(op));
}

}  // namespace topbit
