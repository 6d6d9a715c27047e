// Tensors as text: values in aligned columns, then the metadata; or all of it in one line.
export module topbit.tensor:print;

import topbit.std;
import :handle;
import :storage;

namespace topbit {

/// How tensors are shown. The numbers are NumPy's defaults; smaller values than the least sensible one count as that.
export struct print_options {
  int precision = 8;                  ///< most digits after the point
  std::int64_t threshold = 1000;      ///< with more elements than these only the ends of long dimensions are shown
  std::int64_t edge_items = 3;        ///< how many at each end, 1 at least
  std::int64_t line_width = 75;       ///< in characters; a longer row continues in the next line
  std::string_view separator = ", ";  ///< between elements; at the end of a line without trailing spaces
  bool describe = true;               ///< append dtype, sizes and, if it is not the host, the device
  bool one_line = false;              ///< full precision, not aligned; only edge_items and describe apply besides
};

/// The values in columns, followed by the metadata:
///   [[ 1. ,  2.5],
///    [-3. ,  0.1]] (float32 [2, 2] on cuda:0)
/// All numbers have one format, chosen as NumPy does: large and tiny ones together are shown with exponents. In one
/// line, `[[1, 2.5], [-3, 0.1]] (float32 [2, 2])`, as a tensor is read from text if no value is elided. Only the
/// metadata if there are no readable values (meta, opaque), `undefined tensor` for an undefined one. Values of a device
/// are copied through its memory hook, a few KiB at a time, which synchronises; throws what the hook throws.
export std::string to_string(const tensor& t, const print_options& options = {});

namespace detail {

// The elements of a tensor that has them, for the host to read one by one. Those of another device are fetched a window
// at a time, so that a tensor of which only the ends are shown costs a few small copies.
class element_reader {
 public:
  explicit element_reader(const tensor& t);
  // The element at this offset from the storage's beginning. A byte that was never written may be no bool.
  template <class T>
  T at(std::int64_t offset) {
    const std::byte* const bytes = bytes_at(offset);
    if constexpr (std::same_as<T, bool>) {
      return *bytes != std::byte{0};
    } else {
      T x{};
      std::memcpy(&x, bytes, sizeof x);
      return x;
    }
  }

 private:
  // Until the next call.
  const std::byte* bytes_at(std::int64_t offset);
  static constexpr std::size_t window_bytes = 4096;
  const storage& data_;
  const std::size_t element_bytes_;
  std::vector<std::byte> window_;  // empty: nothing was fetched
  std::size_t begin_ = 0;
};

// The text of a wrapper; false for a tensor that is none.
bool describe_wrapper(const tensor& t, std::string& text, const print_options& options);

// The values alone, in columns. The tensor has some that a hook can bring.
std::string columns_of(const tensor& t, const print_options& options);

}  // namespace detail

}  // namespace topbit
