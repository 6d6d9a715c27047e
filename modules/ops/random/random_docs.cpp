module topbit.operator_docs;

import :elementwise;

namespace topbit::detail {

constexpr std::string_view written =
    "writes every element of self, in row-major order for any strides; its elements must not share memory; the result "
    "is self";
constexpr std::string_view new_or_out = "the result is new, dense and row-major; or out, with its own strides";
constexpr std::string_view one_number =
    "one pass of stores, with a number of the generator's stream for each element: half of ten rounds of Philox";
constexpr std::string_view and_logarithm =
    "one pass of stores, with a number of the generator's stream and a logarithm or quotient of polynomials in float64 "
    "for each element";

constexpr family_lines in_place_family = {
    .shapes = same_shape, .dtypes = "floating", .memory = written, .cost = and_logarithm};
constexpr family_lines of_sizes_family = {
    .shapes = "size: sizes, or self: [..] -> these sizes",
    .dtypes = "floating; by default float32, or self's",
    .memory = "the result is new and dense, row-major or in the memory order of self; or out, with its own strides"};

constexpr operator_page pages[] = {
    page<in_place_family, aten::uniform_>(
        {.summary = "Fills self with numbers evenly distributed between from and to, without to.",
         .dtypes = "floating; each has its own spacing, 2^-24 of the range in float32",
         .cost = one_number,
         .errors = {not_floating("uniform_([0, 0])"),
                    bad_value("from is above to, or they or their distance are no finite numbers of the dtype",
                              "uniform_([0.0, 0.0], 2.0, 1.0)")},
         .examples = {{"uniform_([0.0, 0.0])", ""}, {"uniform_([0.0, 0.0], 2.0, 2.0)", "[2, 2] (float32 [2])"}}}),
    page<in_place_family, aten::normal_>(
        {.summary = "Fills self with numbers of the normal distribution with this mean and standard deviation.",
         .errors = {not_floating("normal_([0, 0])"), bad_value("std is below 0 or NaN", "normal_([0.0], 0.0, -1.0)")},
         .examples = {{"normal_([0.0, 0.0])", ""}, {"normal_([0.0, 0.0], 2.0, 0.0)", "[2, 2] (float32 [2])"}}}),
    page<in_place_family, aten::exponential_>(
        {.summary = "Fills self with numbers x above 0 of the density lambd * exp(-lambd * x).",
         .errors = {not_floating("exponential_([0, 0])"),
                    bad_value("lambd is not above 0", "exponential_([0.0], 0.0)")},
         .examples = {{"exponential_([0.0, 0.0])", ""}}}),
    page<in_place_family, aten::random_, aten::random_to_, aten::random_from_>(
        {.summary = "Fills self with integers, all equally likely: from from, or 0, to below to, or up to the maximum "
                    "of the dtype.",
         .dtypes =
             "any; the maximum is 1 for bool, and 2^11, 2^8, 2^24 and 2^53 for float16, bfloat16, float32 and float64",
         .cost = one_number,
         .errors = {bad_value("from is not below to", "random_.to([0], 0)"),
                    bad_value("the dtype does not hold from or values below to, or from is above its maximum",
                              "random_.to([0] (uint8), 300)")},
         .examples = {{"random_([0, 0])", ""}, {"random_.from([0.0, 0.0], 5, 6)", "[5, 5] (float32 [2])"}}}),
    page<aten::bernoulli_float_, aten::bernoulli_Tensor_>(
        {.summary = "Fills self with 1, with probability p, and 0.",
         .shapes = "self: [..], p: a number, or broadcasts to self -> self's",
         .dtypes = "any; a tensor p is floating",
         .memory = written,
         .cost = "one pass of stores, with a number of the generator's stream for each element; a tensor p is looked "
                 "through before",
         .errors = {bad_value("p, or an element of it, is not within 0 and 1", "bernoulli_.float([0.0], 2.0)"),
                    bad_dtype("p is a tensor that is not floating", "bernoulli_.Tensor([0.0], [1])"),
                    bad_shape("p does not broadcast to self", "bernoulli_.Tensor([0.0], [1.0, 0.0])")},
         .examples = {{"bernoulli_.float([0, 0], 0.5)", ""},
                      {"bernoulli_.Tensor([0, 0], [1.0, 0.0])", "[1, 0] (int64 [2])"}}}),
    page<aten::bernoulli, aten::bernoulli_out, aten::bernoulli_p>(
        {.summary = "Returns 1, with the probability that self's element is, or with probability p, and 0.",
         .shapes = same_shape,
         .dtypes = "floating; any where p is given; the result has self's dtype",
         .memory = "the result is new and dense, in the memory order of self; or out, with its own strides",
         .cost = "one pass, with a number of the generator's stream for each element; elements that are probabilities "
                 "are looked through before",
         .errors = {bad_dtype("self is not floating and no p is given", "bernoulli([1, 0])"),
                    bad_value("a probability is not within 0 and 1", "bernoulli([0.5, 2.0])")},
         .examples = {{"bernoulli([1.0, 0.0])", "[1, 0] (float32 [2])"},
                      {"bernoulli.p([1, 2, 3], 1.0)", "[1, 1, 1] (int64 [3])"}}}),
    page<of_sizes_family, aten::rand, aten::rand_generator, aten::rand_out, aten::rand_generator_out, aten::rand_like>(
        {.summary = "Makes a tensor of these sizes, or like self, with numbers evenly distributed from 0 to below 1.",
         .cost = one_number,
         .errors = {bad_dtype("the dtype is not floating", "rand([2], dtype=int64)"), wrong_sizes("rand([-1])")},
         .examples = {{"rand([2, 3])", ""}, {"rand_like([1.0, 2.0])", ""}}}),
    page<of_sizes_family, aten::randn, aten::randn_generator, aten::randn_out, aten::randn_generator_out,
         aten::randn_like>(
        {.summary =
             "Makes a tensor of these sizes, or like self, with normal numbers of mean 0 and standard deviation 1.",
         .cost = and_logarithm,
         .errors = {bad_dtype("the dtype is not floating", "randn([2], dtype=int64)"), wrong_sizes("randn([-1])")},
         .examples = {{"randn([2, 3])", ""}, {"randn_like([1.0, 2.0])", ""}}}),
    page<aten::randint, aten::randint_generator, aten::randint_low, aten::randint_low_generator, aten::randint_out,
         aten::randint_generator_out, aten::randint_low_out, aten::randint_low_generator_out>(
        {.summary = "Makes a tensor of these sizes with integers from low, or 0, to below high, all equally likely.",
         .shapes = "size: sizes -> [size..]",
         .dtypes = "any; int64 by default",
         .memory = new_or_out,
         .cost = one_number,
         .errors = {bad_value("low is not below high", "randint(0, [2])"),
                    bad_value("the dtype does not hold a number between", "randint(300, [2], dtype=int8)"),
                    wrong_sizes("randint(2, [-1])")},
         .examples = {{"randint(2, [3])", ""}, {"randint.low(5, 6, [2])", "[5, 5] (int64 [2])"}}}),
    page<aten::randint_like, aten::randint_like_low_dtype>(
        {.summary = "Makes a tensor like self with integers from low, or 0, to below high, all equally likely.",
         .shapes = same_shape,
         .dtypes = "any; the result has self's dtype by default",
         .memory = "the result is new and dense, in the memory order of self, or row-major with memory_format "
                   "contiguous_format",
         .cost = one_number,
         .errors = {bad_value("low is not below high", "randint_like([1, 2], 0)"),
                    bad_value("the dtype does not hold a number between", "randint_like([1] (int8), 300)")},
         .examples = {{"randint_like([1, 2], 2)", ""},
                      {"randint_like.low_dtype([1.0, 2.0], 3, 4)", "[3, 3] (float32 [2])"}}}),
    page<aten::randperm, aten::randperm_generator, aten::randperm_out, aten::randperm_generator_out>(
        {.summary = "Returns the integers from 0 to below n in random order.",
         .shapes = "n: an integer -> [n]",
         .dtypes = "any; int64 by default; it holds every integer below n",
         .memory = "the result is new and dense; or out, with its own stride",
         .cost = "n exchanges, one after the other, each with a number of the generator's stream; through an int64 "
                 "tensor for other dtypes",
         .errors = {bad_value("n is below 0", "randperm(-1)"),
                    bad_value("the dtype does not hold every integer below n", "randperm(300, dtype=uint8)")},
         .examples = {{"randperm(1)", "[0] (int64 [1])"}, {"randperm(5)", ""}}}),
    page<aten::normal_Tensor_float, aten::normal_float_Tensor, aten::normal_Tensor_Tensor,
         aten::normal_Tensor_float_out, aten::normal_float_Tensor_out, aten::normal_Tensor_Tensor_out,
         aten::normal_float_float, aten::normal_float_float_out>(
        {.summary =
             "Makes a tensor of normal numbers, with a mean and a standard deviation for each element or for all.",
         .shapes = "mean: [..] or a number, std: [..] or a number -> their broadcast; with two numbers size",
         .dtypes =
             "floating; the result has mean's dtype, std's where mean is a number; with two numbers dtype, or float32",
         .memory = new_or_out,
         .cost = "the pass of normal_, and one each for a tensor mean and a tensor std, which is first looked through, "
                 "so that the call waits for the device; out of tensors is copied to",
         .errors = {bad_dtype("mean, std or dtype is not floating", "normal.Tensor_float([1], 1.0)"),
                    bad_value("std, or an element of it, is below 0 or NaN", "normal.Tensor_Tensor([1.0], [-1.0])"),
                    no_broadcast("normal.Tensor_Tensor([1.0, 2.0, 3.0], [0.0, 0.0])")},
         .examples = {{"normal.Tensor_float([1.0, 2.0], 0.0)", "[1, 2] (float32 [2])"},
                      {"normal.float_float(2.0, 0.5, [2])", ""}}}),
    page<aten::multinomial, aten::multinomial_out>(
        {.summary = "Draws num_samples indices of each row, with its elements as weights, which need not sum to 1; "
                    "without replacement each at most once.",
         .shapes = "self: [N] or [rows, N] -> [num_samples] or [rows, num_samples]",
         .dtypes = "floating; the result is int64",
         .memory = "the result is new and dense; or out, with its own strides",
         .cost = "N + num_samples * log(N) for each row, through a tree of its sums in float64; rows are looked "
                 "through before",
         .errors = {not_floating("multinomial([1, 2], 1)"),
                    bad_shape("self has not one or two dimensions, or not 1 to 2^24 weights in a row",
                              "multinomial(1.0, 1)"),
                    bad_value("num_samples is below 1, or above N without replacement", "multinomial([1.0, 1.0], 3)"),
                    bad_value("a weight is below 0 or not finite, or a row has fewer above 0 than are drawn",
                              "multinomial([-1.0, 1.0], 1)")},
         .examples = {{"multinomial([0.0, 1.0], 1)", "[1] (int64 [1])"},
                      {"multinomial([0.0, 2.0, 0.0], 3, True)", "[1, 1, 1] (int64 [3])"},
                      {"multinomial([1.0, 1.0, 1.0], 3)", ""}}}),
};

void publish_random_docs() { author::publish_pages({"Random numbers", pages}).keep(); }

}  // namespace topbit::detail
