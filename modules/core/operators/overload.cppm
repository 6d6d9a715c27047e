// Which operator of several does a call mean? Each that can be called with the arguments is ranked by how it takes
// them; the one that is nowhere worse and somewhere better is meant.
export module topbit.core:operators.overload;

import topbit.std;
import :operators.call;
import :schema.default_value;
import :schema.signature;

namespace topbit {

namespace detail {

// How a parameter takes an argument, best first.
enum class match : std::uint8_t { exact, same_kind, converted, number_for_list };

template <class A, class B>
consteval match match_of() {
  using to = std::remove_cvref_t<A>;
  using from = std::remove_cvref_t<given_type<B>>;
  if constexpr (std::same_as<to, from>)
    return match::exact;
  else if constexpr (is_number_list<to> && std::integral<from>)
    return match::number_for_list;
  else if constexpr ((std::integral<to> && std::integral<from>) ||
                     (std::floating_point<to> && std::floating_point<from>))
    return match::same_kind;
  else
    return match::converted;
}

// What is known of an operator as the one that a call with N arguments means.
template <std::size_t N>
struct fit {
  bool fits = false;
  std::array<match, N> matches{};  // by argument of the call
  std::size_t defaults = 0;        // parameters that the call leaves out
  std::size_t optionals = 0;       // arguments given where there is a default
  bool has_overload_name = false;
};

template <class Op, class... B>
consteval fit<sizeof...(B)> fit_of() {
  fit<sizeof...(B)> f;
  if constexpr (fits_schema<Op, B...>) {
    f.fits = true;
    f.has_overload_name = Op::name().find('.') != std::string_view::npos;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      const auto look = [&]<std::size_t P>() {
        constexpr std::size_t source = sources<Op, B...>[P];
        if constexpr (source == from_default) {
          ++f.defaults;
        } else {
          f.matches[source] = match_of<parameter_of<Op, P>, B...[source]>();
          f.optionals += !Op::default_text(P).empty();
        }
      };
      (look.template operator()<I>(), ...);
    }(std::make_index_sequence<Op::arity>{});
  }
  return f;
}
template <class Op, class... B>
inline constexpr fit<sizeof...(B)> fit_for = fit_of<Op, B...>();

// Argument by argument; where all are alike, fewer defaults, then fewer arguments that could be left out, then the
// operator without an overload name.
template <std::size_t N>
constexpr bool is_better(const fit<N>& a, const fit<N>& b) noexcept {
  bool better = false;
  for (std::size_t i = 0; i < N; ++i) {
    if (a.matches[i] > b.matches[i]) return false;
    better |= a.matches[i] < b.matches[i];
  }
  if (better) return true;
  if (a.defaults != b.defaults) return a.defaults < b.defaults;
  if (a.optionals != b.optionals) return a.optionals < b.optionals;
  return !a.has_overload_name && b.has_overload_name;
}

inline constexpr std::size_t no_overload = static_cast<std::size_t>(-1);
inline constexpr std::size_t several_overloads = static_cast<std::size_t>(-2);

// The place of the operator that is meant.
template <std::size_t Count, std::size_t N>
constexpr std::size_t best_of(const std::array<fit<N>, Count>& all) noexcept {
  std::size_t best = no_overload;
  for (std::size_t i = 0; i < Count; ++i) {
    if (all[i].fits && (best == no_overload || is_better(all[i], all[best]))) best = i;
  }
  for (std::size_t i = 0; i < Count; ++i) {
    if (i != best && all[i].fits && !is_better(all[best], all[i])) return several_overloads;
  }
  return best;
}

}  // namespace detail

}  // namespace topbit
