// Weights in GGUF files: a header of named values, then tensors, many of them as blocks of 32 codes with a scale.
export module topbit.quantized:gguf;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::quantized {

/// A list of values of one kind.
using gguf_array = std::variant<std::vector<std::uint64_t>, std::vector<std::int64_t>, std::vector<double>,
                                std::vector<bool>, std::vector<std::string>>;
/// A value of a file's header. Integers and floating-point numbers of every width are widened, without loss. Strings
/// are as in the file, which should be UTF-8.
using gguf_value = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, gguf_array>;

struct gguf_tensor {
  std::string name;
  /// Row-major: the last one is that of rows. The file has them the other way round.
  shape sizes;
  /// As the format's tools write it: "f32", "q4_0", "q6_K".
  std::string_view type;
  /// Where its elements begin in the file, and how many bytes they have.
  std::uint64_t offset = 0, bytes = 0;
  /// load_gguf() can load it.
  bool is_supported = false;
};

struct gguf_contents {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  /// In the order of the file.
  std::vector<std::pair<std::string, gguf_value>> metadata;
  std::vector<gguf_tensor> tensors;

  /// The value of a name; null if there is none.
  const gguf_value* find(std::string_view name) const noexcept;
};

/// What is in a file. Reads the header alone.
///
/// Errors   error with the byte of the file, what was found there and what was wanted: a file that is truncated or of
///          another format or version, sizes that overflow, elements outside the file or overlapping, a name that is
///          there twice, an array of arrays, which the format's own reader refuses too
/// Cost     one read of the header; memory is at most some ten times its size, whatever it claims
gguf_contents list_gguf(const std::string& path);

/// All tensors of a file, by name, on the host. Those of the types q8_0, q4_0 and q4_1 are quantized tensors with
/// groups of 32, float16 scales and, for q4_1, float16 offsets: nothing is lost. Their dtype is `type`. The others have
/// the dtype of the file: f64, f32, f16, bf16, i8, i16, i32, i64.
///
/// Errors   those of list_gguf(); dtype_error for a tensor of another type, such as q4_K, with its name: load the
///          others by load_gguf_tensor(), or convert the file
/// Cost     one read of the file; memory for the tensors, and some 2 MB
std::map<std::string, tensor> load_gguf(const std::string& path, dtype type = dtype::float32);

/// One tensor of a file. Errors as load_gguf(), and for a name that is not there.
tensor load_gguf_tensor(const std::string& path, std::string_view name, dtype type = dtype::float32);

/// A matrix or more, quantized in groups of 32 by the rules of the format: what its own tools write for the same
/// float32 numbers, with equal bits. 4 bits are q4_0: the element of largest magnitude has the code 0. 8 bits are q8_0.
///
/// x: [.., n], floating-point, n a multiple of 32 -> [.., n], quantized, of the same dtype, float16 scales
/// Throws shape_error, dtype_error, and bad_argument for other bits. NaN becomes 0.
tensor quantize_gguf(const tensor& x, int bits);

/// Writes tensors and values to a file, in this order. Strided tensors of the dtypes of load_gguf() are written as they
/// are; quantized ones as q8_0, q4_0 or q4_1, if load_gguf() could give them: groups of 32 along whole rows, scales and
/// offsets of float16.
///
/// Errors   error for a tensor that the format does not have, with its name and what to do, and for a file that cannot
///          be written; there is no file then, or half a one under the name `path` with ".part" added
void save_gguf(const std::string& path, std::span<const std::pair<std::string, tensor>> tensors,
               std::span<const std::pair<std::string, gguf_value>> metadata = {});

}  // namespace topbit::quantized
