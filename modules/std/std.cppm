// The only unit that includes standard headers.
//
// A header in every partition is what makes a module tree slow, so each partition imports this unit instead. It exports
// what the library uses and no more, in the standard's order, operators included: without them string concatenation or
// a range-for over a vector would not compile in an importer. Internal: users include the standard headers they need
// themselves, before their imports. The names are in topbit::std, where code in namespace topbit finds them first, so
// that the compiler suggests the header to a user who forgot it, and not this module.
module;

#include <algorithm>
#include <any>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <compare>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <ranges>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

export module topbit.std;

// [cstdint.syn] [cstddef.syn]
export namespace topbit::std {
using ::std::byte;
using ::std::int16_t;
using ::std::int32_t;
using ::std::int64_t;
using ::std::int8_t;
using ::std::max_align_t;
using ::std::nullptr_t;
using ::std::ptrdiff_t;
using ::std::size_t;
using ::std::uint16_t;
using ::std::uint32_t;
using ::std::uint64_t;
using ::std::uint8_t;
using ::std::uintptr_t;
}  // namespace topbit::std

// [support]: limits, source_location, exception, new, initializer_list, compare, cstdlib
export namespace topbit::std {
using ::std::abort;
using ::std::align_val_t;
using ::std::atexit;
using ::std::bad_alloc;
using ::std::current_exception;
using ::std::exception;
using ::std::exception_ptr;
using ::std::getenv;
using ::std::initializer_list;
using ::std::is_constant_evaluated;
using ::std::launder;
using ::std::nested_exception;
using ::std::nothrow;
using ::std::nothrow_t;
using ::std::numeric_limits;
using ::std::partial_ordering;
using ::std::rethrow_exception;
using ::std::rethrow_if_nested;
using ::std::source_location;
using ::std::strong_ordering;
using ::std::terminate;
using ::std::throw_with_nested;
using ::std::weak_ordering;
}  // namespace topbit::std
export using ::operator new;
export using ::operator delete;

// [concepts]
export namespace topbit::std {
using ::std::constructible_from;
using ::std::convertible_to;
using ::std::copy_constructible;
using ::std::copyable;
using ::std::default_initializable;
using ::std::derived_from;
using ::std::equality_comparable;
using ::std::floating_point;
using ::std::integral;
using ::std::invocable;
using ::std::movable;
using ::std::same_as;
using ::std::signed_integral;
using ::std::unsigned_integral;
}  // namespace topbit::std

// [meta.type.synop]
export namespace topbit::std {
using ::std::add_const_t;
using ::std::bool_constant;
using ::std::conditional_t;
using ::std::decay_t;
using ::std::enable_if_t;
using ::std::false_type;
using ::std::integral_constant;
using ::std::invoke_result_t;
using ::std::is_aggregate_v;
using ::std::is_arithmetic_v;
using ::std::is_base_of_v;
using ::std::is_class_v;
using ::std::is_const_v;
using ::std::is_convertible_v;
using ::std::is_copy_constructible_v;
using ::std::is_empty_v;
using ::std::is_enum_v;
using ::std::is_floating_point_v;
using ::std::is_function_v;
using ::std::is_integral_v;
using ::std::is_invocable_r_v;
using ::std::is_invocable_v;
using ::std::is_lvalue_reference_v;
using ::std::is_member_function_pointer_v;
using ::std::is_member_pointer_v;
using ::std::is_move_constructible_v;
using ::std::is_nothrow_default_constructible_v;
using ::std::is_nothrow_move_constructible_v;
using ::std::is_pointer_v;
using ::std::is_reference_v;
using ::std::is_rvalue_reference_v;
using ::std::is_same_v;
using ::std::is_trivially_copyable_v;
using ::std::is_trivially_destructible_v;
using ::std::is_void_v;
using ::std::remove_const_t;
using ::std::remove_cvref_t;
using ::std::remove_pointer_t;
using ::std::remove_reference_t;
using ::std::true_type;
using ::std::type_identity;
using ::std::type_identity_t;
using ::std::underlying_type_t;
using ::std::void_t;
}  // namespace topbit::std

// [utility] [tuple] [optional] [variant] [memory] [functional]
export namespace topbit::std {
using ::std::addressof;
using ::std::any;
using ::std::apply;
using ::std::as_const;
using ::std::construct_at;
using ::std::declval;
using ::std::destroy_at;
using ::std::exchange;
using ::std::forward;
using ::std::forward_as_tuple;
using ::std::function;
using ::std::get;
using ::std::get_if;
using ::std::greater;
using ::std::hash;
using ::std::in_place;
using ::std::in_place_t;
using ::std::index_sequence;
using ::std::index_sequence_for;
using ::std::integer_sequence;
using ::std::less;
using ::std::make_index_sequence;
using ::std::make_pair;
using ::std::make_shared;
using ::std::make_tuple;
using ::std::make_unique;
using ::std::make_unique_for_overwrite;
using ::std::move;
using ::std::nullopt;
using ::std::nullopt_t;
using ::std::optional;
using ::std::pair;
using ::std::shared_ptr;
using ::std::swap;
using ::std::tie;
using ::std::to_address;
using ::std::tuple;
using ::std::tuple_cat;
using ::std::tuple_element;
using ::std::tuple_element_t;
using ::std::tuple_size;
using ::std::tuple_size_v;
using ::std::unique_ptr;
using ::std::variant;
using ::std::visit;
}  // namespace topbit::std

// [string.view.synop] [string.syn] [charconv.syn] [cstring.syn]
export namespace topbit::std {
using ::std::basic_string;
using ::std::basic_string_view;
using ::std::char_traits;
using ::std::chars_format;
using ::std::errc;
using ::std::from_chars;
using ::std::memcpy;
using ::std::memset;
using ::std::ostream;
using ::std::string;
using ::std::string_view;
using ::std::to_chars;
using ::std::to_string;
inline namespace literals {
inline namespace string_view_literals {
using ::std::literals::string_view_literals::operator""sv;
}
}  // namespace literals
}  // namespace topbit::std

// [containers]
export namespace topbit::std {
using ::std::allocator;
using ::std::array;
using ::std::dynamic_extent;
using ::std::map;
using ::std::span;
using ::std::unordered_map;
using ::std::unordered_set;
using ::std::vector;
}  // namespace topbit::std

// [iterators] [ranges]
export namespace topbit::std {
using ::std::back_inserter;
using ::std::begin;
using ::std::contiguous_iterator;
using ::std::data;
using ::std::default_sentinel;
using ::std::default_sentinel_t;
using ::std::end;
using ::std::forward_iterator;
using ::std::forward_iterator_tag;
using ::std::input_iterator;
using ::std::iterator_traits;
using ::std::rbegin;
using ::std::rend;
using ::std::reverse_iterator;
using ::std::size;
namespace ranges {
using ::std::ranges::all_of;
using ::std::ranges::any_of;
using ::std::ranges::contiguous_range;
using ::std::ranges::copy;
using ::std::ranges::count;
using ::std::ranges::count_if;
using ::std::ranges::enable_borrowed_range;
using ::std::ranges::enable_view;
using ::std::ranges::equal;
using ::std::ranges::fill;
using ::std::ranges::find;
using ::std::ranges::find_if;
using ::std::ranges::forward_range;
using ::std::ranges::input_range;
using ::std::ranges::lower_bound;
using ::std::ranges::max_element;
using ::std::ranges::move;
using ::std::ranges::pop_heap;
using ::std::ranges::push_heap;
using ::std::ranges::range_value_t;
using ::std::ranges::reverse;
using ::std::ranges::sized_range;
using ::std::ranges::sort;
using ::std::ranges::stable_sort;
}  // namespace ranges
}  // namespace topbit::std

// [alg] [numeric]
export namespace topbit::std {
using ::std::all_of;
using ::std::any_of;
using ::std::copy;
using ::std::count;
using ::std::equal;
using ::std::erase;
using ::std::erase_if;
using ::std::fill;
using ::std::find;
using ::std::find_if;
using ::std::max;
using ::std::min;
using ::std::remove_if;
using ::std::reverse;
using ::std::rotate;
using ::std::sort;
using ::std::stable_sort;
}  // namespace topbit::std

// [bit] [cmath.syn]
export namespace topbit::std {
using ::std::abs;
using ::std::bit_cast;
using ::std::bit_width;
using ::std::complex;
using ::std::countl_zero;
using ::std::countr_zero;
using ::std::exp;
using ::std::has_single_bit;
using ::std::isfinite;
using ::std::isnan;
using ::std::log;
using ::std::popcount;
using ::std::sqrt;
}  // namespace topbit::std

// [atomics] [thread.mutex]
export namespace topbit::std {
using ::std::atomic;
using ::std::atomic_ref;
using ::std::lock_guard;
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
using ::std::mutex;
using ::std::recursive_mutex;
using ::std::unique_lock;
}  // namespace topbit::std

// Names used only by source files of topbit.
export namespace topbit::std {
using namespace ::std;
namespace ranges {
using namespace ::std::ranges;
}  // namespace ranges
}  // namespace topbit::std

// What the compiler itself looks for, and what argument-dependent lookup finds.
export namespace std {
using std::align_val_t;
using std::get;
using std::initializer_list;
using std::nothrow_t;
using std::partial_ordering;
using std::source_location;
using std::strong_ordering;
using std::swap;
using std::tuple_element;
using std::tuple_size;
using std::weak_ordering;
}  // namespace std

// Operators, which argument-dependent lookup finds only where they are exported.
export namespace std {
using std::operator==;
using std::operator!=;
using std::operator<;
using std::operator<=;
using std::operator>;
using std::operator>=;
using std::operator<=>;
using std::operator+;
using std::operator-;
using std::operator|;
using std::operator&;
using std::operator^;
using std::operator~;
}  // namespace std
// The operators of iterators of vector and string, which libstdc++ declares as friends since version 16.
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 16
export namespace __gnu_cxx {
using __gnu_cxx::operator==;
using __gnu_cxx::operator<=>;
using __gnu_cxx::operator+;
using __gnu_cxx::operator-;
}  // namespace __gnu_cxx
#endif
