module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr family_lines dropped_family = {
    .shapes = "input: [..] -> the same",
    .dtypes = "floating; any if nothing is dropped",
    .memory =
        "if nothing is dropped (train is False, p is 0, no elements) the result is input itself, else it is new and "
        "dense, in the memory order of input; in place always self"};

consteval page_error wrong_probability(std::string_view example) {
  return bad_value("p is not within 0 and 1", example);
}

constexpr operator_page pages[] = {
    page<dropped_family, aten::dropout, aten::dropout_>(
        {.summary = "Sets each element to 0 with probability p, and divides the others by 1 - p, which preserves the "
                    "mean; active only if train is True.",
         .cost = "three passes, over a new tensor of noise: it is drawn, with a number of the device's default "
                 "generator for each element, scaled, and multiplied with; none if nothing is dropped",
         .errors = {bad_dtype("input is not floating, and elements are to be dropped", "dropout([1, 2], 0.5, True)"),
                    wrong_probability("dropout([1.0], 1.5, True)")},
         .examples = {{"dropout([1.0, 2.0], 0.5, True)", ""},
                      {"dropout([1.0, 2.0], 1.0, True)", "[0, 0] (float32 [2])"},
                      {"dropout([1.0, 2.0], 0.5, False)", "[1, 2] (float32 [2])"}}}),
    page<dropped_family, aten::alpha_dropout, aten::alpha_dropout_>(
        {.summary = "Sets each element to selu's lower limit with probability p, then scales and shifts all, which "
                    "preserves mean 0 and variance 1 (Klambauer et al. 2017); active only if train is True.",
         .cost = "seven passes, with two tensors of noise and one in between, and a number of the device's default "
                 "generator for each element; none if nothing is dropped",
         .errors = {bad_dtype("input is not floating, and elements are to be dropped",
                              "alpha_dropout([1, 2], 0.5, True)"),
                    wrong_probability("alpha_dropout([1.0], 1.5, True)")},
         .examples = {{"alpha_dropout([1.0, 2.0], 0.5, True)", ""},
                      {"alpha_dropout([1.0, 2.0], 1.0, True)", "[0, 0] (float32 [2])"},
                      {"alpha_dropout([1.0, 2.0], 0.5, False)", "[1, 2] (float32 [2])"}}}),
    page<aten::native_dropout>(
        {.summary = "Returns dropout of input, and the mask of kept elements; active unless train is False.",
         .shapes = "input: [..] -> the same, the same",
         .dtypes = "floating; anything where train is False; the first result has input's dtype, the mask is bool",
         .memory = "both results are new and dense, in the memory order of input",
         .cost = "three passes: the mask is drawn, with a number of the device's default generator for each element, "
                 "and input multiplied by it and by 1 / (1 - p); a copy and a pass of stores where train is False",
         .errors = {bad_dtype("input is not floating, and train is not False", "native_dropout([1, 2], 0.5, True)"),
                    wrong_probability("native_dropout([1.0], 1.5, True)")},
         .examples = {{"native_dropout([1.0, 2.0], 0.5, True)", ""},
                      {"native_dropout([1.0, 2.0], 0.0, True)", "[1, 2] (float32 [2]); [true, true] (bool [2])"},
                      {"native_dropout([1.0, 2.0], 1.0, True)", "[0, 0] (float32 [2]); [false, false] (bool [2])"}}}),
    page<aten::native_dropout_backward>(
        {.summary = "Computes the gradient of native_dropout, grad_output * mask * scale, with 1 / (1 - p) for scale.",
         .shapes = "grad_output: [..], mask: [..] -> their broadcast",
         .dtypes = "any; the result has grad_output's dtype with a bool mask, float32 for integers and bool",
         .memory = "the result is new and dense, in the memory order of the operands",
         .cost = "two passes, each into a new tensor",
         .errors = {no_broadcast("native_dropout_backward([1.0, 2.0, 3.0], [True, False], 2.0)")},
         .examples = {{"native_dropout_backward([1.0, 2.0], [True, False] (bool), 2.0)", "[2, 0] (float32 [2])"}}}),
};

void publish_dropout_docs() { author::publish_pages({"Dropout", pages}).keep(); }

}  // namespace topbit::detail
