// Installing kernel sets in the dynamic table, atomically.
export module topbit.core:static_dispatch.installation;

import topbit.std;
import :operators.library;
import :registry.registry;
import :static_dispatch.kernel_set;
import :static_dispatch.set_coverage;

namespace topbit {

namespace static_dispatch {

/// Owns what was installed and unregisters it when destroyed. Move-only.
export class [[nodiscard("what was installed is taken back when this is destroyed")]] installation {
 public:
  installation() noexcept = default;
  /// The rows as they stand, each registered at `where` if it has no place of its own.
  installation(std::span<const author::kernel_row> rows, registry& r, std::source_location where);
  /// Unregisters all of it now.
  void reset() noexcept;
  /// Keeps it registered permanently.
  void keep() noexcept;

 private:
  std::vector<registration> registrations_;
};

}  // namespace static_dispatch

namespace detail {

template <class Operators>
struct definition_rows;
template <auto... Op>
struct definition_rows<static_dispatch::operators<Op...>> {
  static constexpr std::array<author::kernel_row, sizeof...(Op)> value{
      author::kernel_row{&info_of<decltype(Op)>::value, key::Undefined, nullptr, {}}...};
};

}  // namespace detail

namespace static_dispatch {

/// Registers the kernels of the set: the very rows that `rows` shows. It defines no operator, as implement() does not.
/// All of them or, when one is refused, none: throws bad_registration. Calls see all of them at once or, where the
/// installation is taken back, one after the other.
export template <kernel_set_type Set>
installation install(const Set&, registry& r = registry::process(),
                     std::source_location where = std::source_location::current()) {
  return {Set::plain::rows, r, where};
}
/// The same for a list of rows.
export inline installation install(std::span<const author::kernel_row> rows, registry& r = registry::process(),
                                   std::source_location where = std::source_location::current()) {
  return {rows, r, where};
}
/// Defines the operators, as def() does, whoever owns their namespaces: `install(operators<add, mul>{})`.
export template <auto... Op>
installation install(operators<Op...>, registry& r = registry::process(),
                     std::source_location where = std::source_location::current()) {
  return {detail::definition_rows<operators<Op...>>::value, r, where};
}

}  // namespace static_dispatch

}  // namespace topbit
