// What comes of a kernel that is registered over another one of the same operator and key: nothing, a warning, or, from
// a plugin, a refusal. replace() says that it is meant, and is never spoken of.
export module topbit.core:override_policy;

import topbit.std;

namespace topbit {

export enum class override_policy : std::uint8_t {
  allowed,            // the newest is active, and dumps show what it overrides
  warned,             // and a line on the error output names both places
  refused_in_plugins  // and load_plugin() throws bad_plugin, naming both
};

/// For the whole process and all of its registries; returns what held before. What holds at first is allowed, unless
/// the environment has TOPBIT_STRICT=1, for warned, or TOPBIT_STRICT=plugins, for refused_in_plugins. What is
/// registered already is not looked at again.
export override_policy set_override_policy(override_policy policy) noexcept;

namespace detail {

override_policy overrides_are() noexcept;
// A line of its own on the error output.
void warn(std::initializer_list<std::string_view> parts) noexcept;

}  // namespace detail

}  // namespace topbit
