// Tensors as text, in nested brackets.
export module topbit.tensor:print;

import topbit.std;
import :handle;
import :storage;

namespace topbit {

/// "[[1, 2], [3, 4]] (float32 [2, 2] on cuda:0)": values, long dimensions abbreviated to their ends; only the metadata
/// if there are no readable values (meta, undefined, opaque). Values of a device are copied through its memory hook, a
/// few KiB at a time, which synchronises; throws what the hook throws.
export std::string to_string(const tensor& t);

namespace detail {

// Whether a tensor has elements that a hook can copy.
bool has_values(const tensor& t) noexcept;

// The elements of a tensor that has them, for the host to read one by one. Those of another device are fetched a window
// at a time, so that a tensor of which only the ends are shown costs a few small copies.
class element_reader {
 public:
  explicit element_reader(const tensor& t);
  // The bytes of the element at this offset from the storage's beginning, until the next call.
  const std::byte* at(std::int64_t offset);

 private:
  static constexpr std::size_t window_bytes = 4096;
  const storage& data_;
  const std::size_t element_bytes_;
  std::vector<std::byte> window_;  // empty: nothing was fetched
  std::size_t begin_ = 0;
};

}  // namespace detail

}  // namespace topbit
