// Tensors as text for people, in the shape of nested brackets.
export module topbit.tensor:print;

import topbit.std;
import :handle;

namespace topbit {

/// "[[1, 2], [3, 4]] (float32 [2, 2])": values of a host tensor, long dimensions abbreviated to their ends; only
/// the description where there are no values to read (meta, undefined, another device).
export std::string to_string(const tensor& t);

}  // namespace topbit
