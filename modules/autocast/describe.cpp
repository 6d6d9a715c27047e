module topbit.autocast;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :cast_cache;

namespace topbit {

namespace {

// The dtype that eligible arguments are cast to; none for policies that cast none.
std::optional<dtype> target_of(author::cast_policy policy, dtype low, backend on, std::span<const value> arguments) {
  using enum author::cast_policy;
  switch (policy) {
    case lower: return low;
    case fp32: return dtype::float32;
    case promote: {
      dtype promoted = low;
      for (const value& v : arguments)
        author::each_tensor(v, [&](const tensor& t) { promoted = author::promote_type(promoted, t, on); });
      return promoted;
    }
    case banned: return low == dtype::float16 ? std::optional<dtype>() : dtype::float32;
    case none:
    case set_dtype:
    case append_dtype:
    case unchanged: break;
  }
  return {};
}

}  // namespace

std::string detail::describe_casts(author::cast_policy policy, backend on, const operator_handle& op,
                                   std::span<const value> arguments) {
  const autocast_state& now = this_thread_autocast;
  if (!now.is_on(on)) return "no scope on this backend, calls pass through it";
  const std::optional<dtype> to = target_of(policy, now.lower[static_cast<std::size_t>(on)], on, arguments);
  std::string text;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string casts;
    const auto append = [&](const tensor& t) {
      if (!to || !cast_target(*to, on).changes(t)) return;
      casts += (casts.empty() ? " " : " and ") + std::string(name_of(t.dtype())) + " to " + std::string(name_of(*to));
      if (const cast_state state = state_of_cast(t, *to); state != cast_state::made_anew)
        casts += state == cast_state::cached ? ", cached" : ", to be cached";
    };
    author::each_tensor(arguments[i], append);
    if (!casts.empty()) text += (text.empty() ? "" : "; ") + op.argument_label(i) + casts;
  }
  if (!text.empty()) return text;
  if (to) return "casts no argument of this call";
  return policy == author::cast_policy::banned ? "throws" : "";
}

}  // namespace topbit
