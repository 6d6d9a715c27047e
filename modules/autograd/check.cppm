// Gradient checks by finite differences.
export module topbit.autograd:check;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit {

/// The result of a check: true if all gradients agree, else a text that says which element of which gradient does not.
export struct check_result {
  bool ok = true;
  std::string text;
  explicit operator bool() const noexcept { return ok; }
};

export struct check_options {
  double step = 1e-6;  // of an element, to both sides
  double absolute = 1e-5, relative = 1e-3;
};

/// Results of a function of tensors; one result may be given as a list of one.
export using tensor_function = std::function<std::vector<tensor>(std::span<const tensor>)>;

/// Compares the gradients of `f` at `inputs` with central differences, element by element: those of each input that
/// requires a gradient, for each floating result. `f` must be deterministic; the inputs' elements are modified for
/// the differences and restored. The elements of a sparse input are the values of its entries, and its gradient must
/// have entries at the same places. Costs two calls of f for each element of an input, and a backward for each element
/// of a result. Throws dtype_error for inputs that are not float64, for which differences are too inaccurate, error for
/// inputs whose elements share memory, and what f throws.
export check_result gradcheck(const tensor_function& f, std::span<const tensor> inputs,
                              const check_options& options = {});

/// The same for gradients of gradients: checks the function that gives the gradients of f, for random gradients of its
/// results from `seed`.
export check_result gradgradcheck(const tensor_function& f, std::span<const tensor> inputs,
                                  const check_options& options = {}, std::uint64_t seed = 1);

}  // namespace topbit
