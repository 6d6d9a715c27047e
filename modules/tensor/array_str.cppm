// Tensors as text for people, laid out in rows and columns: what numpy.array_str shows.
export module topbit.tensor:array_str;

import topbit.std;
import :handle;

namespace topbit {

/// The defaults are NumPy's.
export struct print_options {
  int precision = 8;              ///< most digits behind the point
  std::int64_t threshold = 1000;  ///< from more elements than these only the ends of long dimensions are shown
  std::int64_t edge_items = 3;    ///< how many at each end
  std::size_t line_width = 75;    ///< in characters; a longer row goes on in the next line
};

/// The values of a tensor in aligned columns, as NumPy prints them:
///   [[ 1.   2.5]
///    [-3.   0.1]]
/// Large and tiny numbers side by side are shown with exponents. A tensor without values to read is shown as by
/// to_string().
export std::string array_str(const tensor& t, const print_options& options = {});

}  // namespace topbit
