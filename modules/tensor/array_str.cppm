// Tensors as text, in aligned rows and columns, like numpy.array_str.
export module topbit.tensor:array_str;

import topbit.std;
import :handle;

namespace topbit {

/// The defaults are NumPy's.
export struct print_options {
  int precision = 8;              ///< maximum number of fractional digits
  std::int64_t threshold = 1000;  ///< above this many elements only the ends of long dimensions are shown
  std::int64_t edge_items = 3;    ///< number of elements shown at each end
  std::size_t line_width = 75;    ///< in characters; longer rows are wrapped
};

/// The values of a tensor in aligned columns, as NumPy prints them:
///   [[ 1.   2.5]
///    [-3.   0.1]]
/// Large and tiny numbers side by side are shown with exponents. A tensor without readable values is printed as by
/// to_string().
export std::string array_str(const tensor& t, const print_options& options = {});

}  // namespace topbit
