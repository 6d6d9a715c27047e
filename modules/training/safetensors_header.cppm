// The header of a safetensors file, parsed and printed. Independent of files: the text is untrusted, and memory is
// bounded by its length. An interface although it exports nothing, so that the fuzzer, a unit in another target, can
// import it.
export module topbit.training:safetensors_header;

import topbit.std;
import topbit.tensor;
import :named_tensor;

namespace topbit::detail {

inline constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

// A tensor of a file. Its elements begin and end at these byte offsets after the header.
struct file_entry {
  std::string name;
  shape sizes;
  dtype type = dtype::float32;
  std::uint64_t begin = 0, end = 0;
};

struct file_header {
  std::vector<file_entry> tensors;
  tensor_metadata metadata;
};

// The tensors of a header, in the order of their elements, which cover the bytes after it exactly once. `who` begins
// error messages.
//
// Accepts what the format's own reader accepts, https://github.com/huggingface/safetensors, with these differences:
//   - it begins with '{', as the format's description demands; that reader takes blanks before it
//   - no name is there twice, as the description demands; that reader takes the last one
//   - a tensor and its dtype are written as the description says; that reader also takes lists and objects for them
//   - dtypes, sizes and numbers of dimensions are those that a tensor of topbit has
//   - an unused number is any in the range of float64; that reader stops a little below the largest
// tests/training/compare_safetensors.py looks for others.
//
// Cost     grows with the text as sorting does; memory at most a dozen times its length, of which the parser takes
// most,
//          for one string or number as long as the text
file_header read_header(const std::string& who, std::string_view text, std::uint64_t elements);

// Padded with spaces, so that elements are aligned to eight bytes. Throws error for a name that is a duplicate, not
// UTF-8, or reserved by the format.
std::string write_header(const std::string& who, std::span<const named_tensor> tensors,
                         const tensor_metadata& metadata = {});

}  // namespace topbit::detail
