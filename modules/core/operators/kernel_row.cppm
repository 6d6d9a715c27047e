// Kernels as constant data, for authors of many: what a backend registers at once is a list of rows.
export module topbit.core:operators.kernel_row;

import topbit.std;
import :dispatch.boxing;
import :dispatch.concepts;
import :dispatch.kernel;
import :dispatch.operator_info;
import :dispatch.rule_kind;
import :keys.key;
import :operators.op;
import :registry.registry;
import :schema.tag;

namespace topbit {

namespace detail {

inline constexpr kernel fallthrough_record{.kind = kernel_kind::fallthrough};

}  // namespace detail

/// For authors of operator libraries and backends.
export namespace author {

/// One kernel of one operator as constant data: what a backend's table of rows is made of.
struct kernel_row {
  const detail::operator_info* op = nullptr;
  key_target key = topbit::key::Undefined;
  const detail::kernel* impl = nullptr;
  std::source_location where;
  std::optional<tag_set> tags{};  // the row tags the operator, and has no kernel
};

/// The row that says: Fn is the kernel of this operator for this key. Checked like impl().
template <auto Fn, class Op>
constexpr kernel_row row(const Op&, key_target key, std::source_location where = std::source_location::current()) {
  if constexpr (kernel_for<Fn, Op>) {
    return {&detail::info_of<Op>::value, key, &detail::kernel_thunk<Fn, typename Op::signature>::record, where};
  } else {
    detail::refuse_kernel<Fn, Op>();
    return {};
  }
}

/// The same for a boxed kernel: a function, or an object without state, which may have a kernel_note.
template <auto Fn, class Op>
constexpr kernel_row boxed_row(const Op&, key_target key,
                               std::source_location where = std::source_location::current()) {
  if constexpr (boxed_kernel<Fn>) {
    return {&detail::info_of<Op>::value, key, &detail::boxed_thunk<Fn>::record, where};
  } else {
    detail::refuse_boxed<Fn>();
    return {};
  }
}

/// The row that defines the operator.
template <class Op>
constexpr kernel_row define(const Op&, std::source_location where = std::source_location::current()) {
  return {&detail::info_of<Op>::value, topbit::key::Undefined, nullptr, where};
}

/// The row that tags the operator.
template <class Op>
constexpr kernel_row tagged(const Op&, tag_set tags, std::source_location where = std::source_location::current()) {
  return {&detail::info_of<Op>::value, topbit::key::Undefined, nullptr, where, tags};
}

/// The row that makes calls pass through this key for this operator.
template <class Op>
constexpr kernel_row fallthrough_row(const Op&, key_target key,
                                     std::source_location where = std::source_location::current()) {
  return {&detail::info_of<Op>::value, key, &detail::fallthrough_record, where};
}

/// Registers rows for the life of the process, all of them or, when one is refused, none.
void register_rows(std::span<const kernel_row> rows, registry& r = registry::process());

}  // namespace author

}  // namespace topbit
