module topbit.core;

import topbit.std;

namespace topbit {

namespace {

override_policy asked_for() noexcept {
  const char* const given = std::getenv("TOPBIT_STRICT");
  const std::string_view word = given == nullptr ? std::string_view() : given;
  if (word == "1") return override_policy::warned;
  if (word == "plugins") return override_policy::refused_in_plugins;
  if (!word.empty() && word != "0") author::warn({"TOPBIT_STRICT: found '", word, "', wanted 0, 1 or plugins"});
  return override_policy::allowed;
}

std::atomic<override_policy>& policy_now() noexcept {
  static std::atomic<override_policy> now = asked_for();
  return now;
}

}  // namespace

override_policy set_override_policy(override_policy policy) noexcept {
  return policy_now().exchange(policy, std::memory_order_relaxed);
}

namespace detail {

override_policy overrides_are() noexcept { return policy_now().load(std::memory_order_relaxed); }

}  // namespace detail

}  // namespace topbit
