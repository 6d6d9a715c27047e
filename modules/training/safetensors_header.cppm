// The header of a file of safetensors, from text and to text. It knows no file: nothing in the text is believed, and
// no memory is asked for that the text does not have.
module topbit.training:safetensors_header;

import topbit.std;
import topbit.tensor;
import :named_tensor;

namespace topbit::detail {

inline constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit

// A tensor of a file. Its elements begin and end so many bytes behind the header.
struct file_entry {
  std::string name;
  dims sizes;
  dtype type = dtype::float32;
  std::uint64_t begin = 0, end = 0;
};

// What a header says of tensors, in the order of their elements, which fill the bytes behind it, each byte once. `who`
// begins what errors say.
//
// What is a header is what the format's own reader takes for one, https://github.com/huggingface/safetensors, with
// these differences:
//   - it begins with '{', as the format's description demands; that reader takes blanks before it
//   - no name is there twice, as the description demands; that reader takes the last one
//   - a tensor and its dtype are written as the description says; that reader also takes lists and objects for them
//   - dtypes, sizes and numbers of dimensions are those that a tensor of topbit has
//   - a number that nobody reads is any that float64 holds; that reader stops a little below the largest
// tests/training/compare_safetensors.py looks for others.
//
// Cost     grows with the text as sorting does; memory at most a dozen times its length, of which the parser takes
// most,
//          for one string or number as long as the text
std::vector<file_entry> read_header(const std::string& who, std::string_view text, std::uint64_t elements);

// Padded with spaces, so that elements are aligned to eight bytes. Throws error for a name that is there twice, is no
// UTF-8, or is the format's own.
std::string write_header(const std::string& who, std::span<const named_tensor> tensors);

}  // namespace topbit::detail
