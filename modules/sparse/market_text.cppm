// The text of a Matrix Market file, parsed and printed. Independent of files: the text is untrusted, and memory is
// bounded by its length. An interface although it exports nothing, so that the fuzzer, a unit in another target, can
// import it.
export module topbit.sparse:market_text;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::sparse::detail {

// A matrix of a file. Entries of a symmetric matrix are there on both sides of the diagonal.
struct market_matrix {
  bool is_coordinate = true;  // else an array: all elements, column by column
  dtype type = dtype::float64;
  std::int64_t rows = 0, columns = 0;
  std::vector<std::int64_t> row, column;  // of each entry, from 0; empty for an array
  // One of these has the values: floating dtypes the first, rounded to float32 unless the dtype is float64.
  std::vector<double> real;
  std::vector<std::int64_t> whole;
};

// `who` begins error messages, which continue with the number of the line. Without a dtype, an integer matrix is int64
// and others are float64; entries of a pattern are 1.
//
// Differences from the description of the format, https://math.nist.gov/MatrixMarket/formats.html:
//   - comments and blank lines are accepted everywhere after the first line, and each entry is a line of its own
//   - numbers may be "inf" and "nan"
//
// Errors   error for text that is not of the format, a complex matrix, an index or a number out of range, an entry on
//          the wrong side of the diagonal of a symmetric matrix, more elements than a tensor can have, and more entries
//          than the rest of the text can have
// Cost     one pass over the text
market_matrix read_market(const std::string& who, std::string_view text, std::optional<dtype> type);

// A general matrix, with the shortest numbers that are read back as the same. Each line of the comment is one of the
// file.
std::string write_market(const market_matrix& matrix, std::string_view comment);

}  // namespace topbit::sparse::detail
