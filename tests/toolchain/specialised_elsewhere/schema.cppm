// A trait with an undefined primary template, specialised in the purview of another module, serves an operator
// declared in a third module and called by a program that imports neither: the specialisation is only reachable
// there. (In a global module fragment it would be discarded; hence_undefined.cpp shows that this is an error and
// not a silent wrong answer, because the primary is undefined.)
export module fact.schema;

export template <unsigned N>
struct fixed_string {
  char text[N]{};
  consteval fixed_string(const char (&from)[N]) {
    for (unsigned i = 0; i < N; ++i) text[i] = from[i];
  }
};
export template <fixed_string Name>
struct schema_type;

export template <fixed_string Argument>
struct op {
  using type = typename schema_type<Argument>::type;
  constexpr int operator()(const type& a) const { return a.value; }
};
