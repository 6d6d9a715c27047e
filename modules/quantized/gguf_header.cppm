// The header of a GGUF file, parsed and printed. Independent of files: the bytes are untrusted, and memory is bounded
// by their number. An interface although it exports nothing, so that the fuzzer, a unit in another target, can import
// it.
export module topbit.quantized:gguf_header;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :gguf;

namespace topbit::quantized::gguf {

// Bytes that are read from the first to the last. `read` gives exactly as many as it is asked for, at most those that
// are left of `size`, or throws.
struct source {
  std::uint64_t size = 0;
  void* context = nullptr;
  void (*read)(void* context, void* to, std::uint64_t bytes) = nullptr;
};

// The types of tensors that the format has.
struct type_facts {
  std::uint32_t code = 0;
  std::string_view name;
  // Elements of a row are stored in blocks of this length, each of some bytes.
  std::uint64_t block = 1, bytes = 1;
  // Undefined for types that are not supported; of the values for those that are quantized.
  std::optional<dtype> elements;

  bool is_quantized() const noexcept { return block != 1; }
};
// Null if there is none.
const type_facts* type_of(std::string_view name) noexcept;

// `who` begins error messages. The offsets of tensors are from the start of the source.
gguf_contents read_header(const std::string& who, const source& from);

// The offset and bytes of tensors are computed and set. Padded, so that elements can follow.
std::string write_header(const std::string& who, std::span<gguf_tensor> tensors,
                         std::span<const std::pair<std::string, gguf_value>> metadata);

// The limit of the format's description.
inline constexpr std::uint64_t longest_name = 65535;

// Files in use have 32; one that had more than this would waste memory when it is written.
inline constexpr std::uint64_t most_alignment = 65536;
// A number of bytes, rounded up to the next multiple of a power of two.
constexpr std::uint64_t aligned(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

// The operation that a message is about, with which `who` begins: "load_gguf: 'file': ".
std::string operation(std::string_view who);
// A name from a file for messages: control characters are escaped, a long one is truncated.
std::string in_quotes(std::string_view name);

}  // namespace topbit::quantized::gguf
