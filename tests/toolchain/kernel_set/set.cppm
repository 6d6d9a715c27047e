// A set of kernels is an empty structural type: a sorted array of ids answers "is it covered?", and a function found
// by overload resolution over the base classes finds the kernel. The naive fold of same_as is quadratic (17 s for
// 500 operators against half a second). It crosses modules as a template argument, and calls through it are direct.
export module fact.kernel_set;

export template <unsigned long Id>
struct op {};

export template <class Op, auto Kernel>
struct slot {};

template <class Op, auto Kernel>
constexpr auto kernel_of(slot<Op, Kernel>) {
  return Kernel;
}
template <class Slot>
constexpr unsigned long id_of = 0;
template <unsigned long Id, auto Kernel>
constexpr unsigned long id_of<slot<op<Id>, Kernel>> = Id;

template <unsigned long N>
struct sorted_ids {
  unsigned long at[N];
  constexpr explicit sorted_ids(const unsigned long (&from)[N]) {
    for (unsigned long i = 0; i < N; ++i) {
      unsigned long j = i;
      for (; j > 0 && at[j - 1] > from[i]; --j) at[j] = at[j - 1];
      at[j] = from[i];
    }
  }
  constexpr bool contains(unsigned long id) const {
    unsigned long low = 0, high = N;
    while (low < high) {
      const unsigned long middle = (low + high) / 2;
      if (at[middle] < id) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low < N && at[low] == id;
  }
};

export template <class... Slots>
struct kernel_set : Slots... {
  static constexpr sorted_ids<sizeof...(Slots)> ids{{id_of<Slots>...}};
};
export template <auto Set, unsigned long Id>
constexpr bool covers = decltype(Set)::ids.contains(Id);

export template <auto Set, unsigned long Id>
constexpr int call(int x) {
  return kernel_of<op<Id>>(Set)(x);
}
