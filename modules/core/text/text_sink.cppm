// Text that grows, at compile time too, where libstdc++ 12's string does not work. Internal.
export module topbit.core:text.text_sink;

import topbit.std;
import :text.text;

namespace topbit {

namespace detail {

class text_sink {
 public:
  constexpr text_sink() noexcept = default;
  constexpr text_sink(text_sink&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  text_sink& operator=(const text_sink&) = delete;
  constexpr ~text_sink() { delete[] data_; }

  constexpr text_sink& operator+=(char c) {
    reserve(size_ + 1);
    data_[size_++] = c;
    return *this;
  }
  constexpr text_sink& operator+=(std::string_view text) {
    reserve(size_ + text.size());
    for (char c : text) data_[size_++] = c;
    return *this;
  }
  constexpr text_sink& append(std::size_t count, char c) {
    while (count-- != 0) *this += c;
    return *this;
  }
  constexpr std::string_view view() const noexcept { return {data_, size_}; }

 private:
  constexpr void reserve(std::size_t wanted) {
    if (wanted <= capacity_) return;
    const std::size_t capacity = std::max(wanted, 2 * capacity_ + 32);
    char* const grown = new char[capacity]();
    for (std::size_t i = 0; i < size_; ++i) grown[i] = data_[i];
    delete[] data_;
    data_ = grown;
    capacity_ = capacity;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

// What Print() gives, as a fixed_string of its size.
template <text_sink (*Print)()>
consteval auto fixed_text() {
  fixed_string<Print().view().size() + 1> text;
  const text_sink printed = Print();
  for (std::size_t i = 0; i < printed.view().size(); ++i) text.chars[i] = printed.view()[i];
  return text;
}

}  // namespace detail

}  // namespace topbit
