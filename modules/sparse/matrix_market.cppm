// Files in the Matrix Market format: text with the entries of a sparse matrix, or all elements of a dense one, which
// collections of matrices and other libraries exchange.
export module topbit.sparse:matrix_market;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::sparse {

struct matrix_market_options {
  /// Of the result. By default int64 for an integer matrix and float64 for others. The entries of a pattern are 1.
  std::optional<dtype> type;
};

/// The matrix of a file: a coalesced COO tensor for coordinates, of which equal ones are added up, a strided tensor for
/// an array. Real, integer and pattern matrices that are general, symmetric or skew-symmetric; of the latter both
/// triangles are in the result.
///
/// Shapes   [rows, columns], from 0 up
/// Dtypes   floating, or an integer dtype or bool for integer and pattern matrices
/// Errors   error with the number of the line, what was found there and what was wanted, for a file that cannot be read
///          or is not of this format, for a complex matrix, and for a number out of the range of the dtype
/// Cost     one pass over the file; memory is bounded by the file's size, for a symmetric matrix by twice of it
tensor load_matrix_market(const std::string& path, const matrix_market_options& options = {});

/// Writes a sparse matrix as coordinates, in row-major order, and a strided one as an array. Numbers are the shortest
/// that are read back as the same; bool is written as integers. Each line of `comment` becomes a comment of the file.
///
/// Errors   shape_error for a tensor that is not a matrix of numbers, layout_error for other layouts; error for a file
///          that cannot be written, of which a part may be there then
/// Cost     one write of the file, whose text is kept in memory
void save_matrix_market(const std::string& path, const tensor& matrix, std::string_view comment = {});

}  // namespace topbit::sparse
