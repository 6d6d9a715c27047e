// A template of a module finds a function of the consumer by argument-dependent lookup, though the module has never
// heard of it: this is how any type takes part in dispatch.
export module fact.dispatch;

export struct key_set {
  unsigned long word;
};
export template <class T>
concept keyed = requires(const T& x) { key_set{keys_of(x)}; };

template <class T>
constexpr unsigned long word_of(const T& x) {
  if constexpr (keyed<T>) {
    return keys_of(x).word;
  } else {
    return 0;
  }
}
export template <class... T>
constexpr unsigned long gather(const T&... arguments) {
  return (word_of(arguments) | ...);
}
