// clang takes a computed message for static_assert in C++20 mode. The sentence crosses module boundaries and is the
// first error line, with nothing before it, as long as what is asserted is a concept.
export module fact.message;

export template <unsigned N>
struct sentence {
  char text[N]{};
  unsigned length = 0;
  constexpr const char* data() const { return text; }
  constexpr unsigned long size() const { return length; }
  constexpr void add(const char* more) {
    while (*more != 0) text[length++] = *more++;
  }
};

export template <class F>
consteval sentence<64> explain() {
  sentence<64> s;
  if constexpr (!__is_same(F, int (*)(int))) {
    s.add("the kernel takes ");
    s.add(__is_same(F, int (*)(float)) ? "float, wanted int" : "something else");
  }
  return s;
}
export template <class F>
concept kernel = explain<F>().size() == 0;

export template <class F>
constexpr int install(F) {
  static_assert(kernel<F>, explain<F>());
  return 1;
}
