// What happens when a kernel overrides another one of the same operator and key: nothing, a warning, or, from a plugin,
// an error. replace() states the intent and never warns.
export module topbit.core:registry.override_policy;

import topbit.std;

namespace topbit {

export enum class override_policy : std::uint8_t {
  allowed,            // the newest is active, and dumps show what it overrides
  warned,             // and a warning on standard error names both locations
  refused_in_plugins  // and load_plugin() throws bad_plugin, naming both
};

/// Sets the policy of the process, for all of its registries; returns the previous one. The default is allowed, or
/// warned if the environment has TOPBIT_STRICT=1, or refused_in_plugins if it has TOPBIT_STRICT=plugins. Applies to
/// registrations from now on.
export override_policy set_override_policy(override_policy policy) noexcept;

namespace detail {

override_policy overrides_are() noexcept;

}  // namespace detail

}  // namespace topbit
