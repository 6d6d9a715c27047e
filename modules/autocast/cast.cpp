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

// Smaller constants cost no more to cast than to find.
constexpr std::int64_t smallest_constant = 4096;

bool is_kept(const tensor& x, cached_casts which) {
  if (x.dtype() != dtype::float32) return false;
  if (requires_grad(x)) return is_leaf(x) && !is_view(x);
  if (which != cached_casts::also_of_constants || x.numel() <= smallest_constant) return false;
  // Writes to the memory of a program, or in inference mode, are not counted.
  const author::tensor_record& r = author::record_of(x);
  return r.data && !r.inference && (r.data->kind != storage_kind::borrowed || r.data->read_only) &&
         r.data->references.load(std::memory_order_relaxed) == 1;
}

// A replay must not read a copy that was made outside, nor the scope one that only a replay fills.
bool caches_now(const detail::autocast_state& now) {
  return now.cached != cached_casts::none && now.outermost != nullptr && !author::random_recorder::is_recording() &&
         !is_inference_mode();
}
// A weight that requires no gradient any more is another one.
const tensor* find_cached(const detail::autocast_state& now, const tensor& x, dtype to) {
  const detail::cast_cache* const cache = *now.outermost;
  const tensor* const found = cache == nullptr ? nullptr : cache->find(x, to);
  return found != nullptr && requires_grad(*found) == requires_grad(x) ? found : nullptr;
}

// Out of line, so that a cast that is cached saves no registers for it.
[[gnu::noinline]] tensor cast_anew(const tensor& x, dtype to) {
  const detail::autocast_state& now = detail::this_thread_autocast;
  if (!caches_now(now) || !is_kept(x, now.cached)) return copy_as(x, to);
  detail::cast_cache*& cache = *now.outermost;
  if (cache == nullptr) cache = new detail::cast_cache;
  std::optional<enable_grad> recorded;
  if (!grad_enabled()) recorded.emplace();
  tensor made = copy_as(x, to);
  cache->put(x, to, made);
  return made;
}

}  // namespace

detail::cast_state detail::state_of_cast(const tensor& x, dtype to) {
  const autocast_state& now = this_thread_autocast;
  if (!caches_now(now)) return cast_state::made_anew;
  if (find_cached(now, x, to) != nullptr) return cast_state::cached;
  return is_kept(x, now.cached) ? cast_state::made_for_cache : cast_state::made_anew;
}

tensor detail::cast_out_of_line(const tensor& x, dtype to) {
  const autocast_state& now = this_thread_autocast;
  const tensor* const found = caches_now(now) ? find_cached(now, x, to) : nullptr;
  return found != nullptr ? *found : cast_anew(x, to);
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
