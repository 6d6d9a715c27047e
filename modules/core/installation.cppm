// Kernel sets in the dynamic table, all of a set or nothing.
export module topbit.core:installation;

import topbit.std;
import :kernel_set;
import :library;
import :registry;
import :set_coverage;

namespace topbit {

/// Takes what was installed back when destroyed. Move-only.
export class [[nodiscard("what was installed is taken back when this is destroyed")]] installation {
 public:
  installation() noexcept = default;
  /// The rows as they stand, each registered at `where` if it has no place of its own.
  installation(std::span<const author::kernel_row> rows, registry& r, std::source_location where);
  /// Takes all of it back now.
  void reset() noexcept;
  /// Lets all of it stay for good.
  void keep() noexcept;

 private:
  std::vector<registration> registrations_;
};

namespace detail {

template <class Operators>
struct definition_rows;
template <auto... Op>
struct definition_rows<operators<Op...>> {
  static constexpr std::array<author::kernel_row, sizeof...(Op)> value{
      author::kernel_row{&decltype(Op)::info(), key::Undefined, nullptr, {}}...};
};

}  // namespace detail

/// Registers the kernels of the set: the very rows that `rows` shows. It defines no operator, as implement() does not.
/// All of them or, when one is refused, none: throws bad_registration. Calls see all of them at once or, where the
/// installation is taken back, one after the other.
export template <kernel_set_type Set>
installation install(const Set&, registry& r = registry::process(),
                     std::source_location where = std::source_location::current()) {
  return {Set::plain::rows, r, where};
}
/// Defines the operators, as def() does, whoever owns their namespaces: `install(operators<add, mul>{})`.
export template <auto... Op>
installation install(operators<Op...>, registry& r = registry::process(),
                     std::source_location where = std::source_location::current()) {
  return {detail::definition_rows<operators<Op...>>::value, r, where};
}

}  // namespace topbit
