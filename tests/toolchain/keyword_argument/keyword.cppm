// `arg<"alpha"> = 2` is an empty tag whose operator= makes a named value; a call matches names in any order while it
// compiles, and falls back to the default.
export module fact.keyword;

template <unsigned N>
struct fixed_string {
  char text[N]{};
  consteval fixed_string(const char (&from)[N]) {
    for (unsigned i = 0; i < N; ++i) text[i] = from[i];
  }
};
template <fixed_string Name>
struct named {
  double value;
};
template <fixed_string Name>
struct arg_tag {
  constexpr named<Name> operator=(double value) const { return {value}; }
};
export template <fixed_string Name>
inline constexpr arg_tag<Name> arg;

template <fixed_string Name>
constexpr double pick(double otherwise) {
  return otherwise;
}
template <fixed_string Name, class First, class... Rest>
constexpr double pick(double otherwise, First first, Rest... rest) {
  if constexpr (__is_same(First, named<Name>)) {
    return first.value;
  } else {
    return pick<Name>(otherwise, rest...);
  }
}
export template <class... Named>
constexpr double scale(double x, Named... options) {
  return x * pick<"alpha">(1, options...) + pick<"beta">(0, options...);
}
