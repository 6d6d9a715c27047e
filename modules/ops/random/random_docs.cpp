module topbit.operator_docs;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;

namespace topbit::detail {

namespace {

using author::page;
using author::page_error;
using author::raises;

constexpr std::string_view written =
    "writes every element of self, in row-major order for any strides; its elements must not share memory; the result "
    "is self";
constexpr std::string_view new_or_out = "the result is new, dense and row-major; or out, with its own strides";
constexpr std::string_view one_number =
    "one pass of stores, with a number of the generator's stream for each element: half of ten rounds of Philox";
constexpr std::string_view and_logarithm =
    "one pass of stores, with a number of the generator's stream and a logarithm or quotient of polynomials in float64 "
    "for each element";

consteval page_error not_floating(std::string_view example) {
  return raises<dtype_error>("self is not floating", example);
}
consteval page_error other_sizes(std::string_view example) {
  return raises<shape_error>("out has another shape than the result, or elements that share memory", example);
}
consteval page_error wrong_sizes(std::string_view example) {
  return raises<shape_error>("a size is below 0, or the number of elements overflows 64 bits; or out has other sizes",
                             example);
}
consteval page_error wrong_options(std::string_view example) {
  return raises<error>("layout is not strided, or pin_memory is True", example);
}
constexpr page_error no_device = raises<device_error>("device is not available in this build or on this machine");

constexpr author::operator_page pages[] = {
    page<aten::uniform_>({
        .summary = "Fills self with numbers evenly distributed between from and to, without to.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating; each has its own spacing, 2^-24 of the range in float32",
        .memory = written,
        .cost = one_number,
        .errors = {not_floating("uniform_([0, 0])"),
                   raises<error>("from is above to, or they or their distance are no finite numbers of the dtype",
                                 "uniform_([0.0, 0.0], 2.0, 1.0)")},
        .examples = {{"uniform_([0.0, 0.0])", ""}, {"uniform_([0.0, 0.0], 2.0, 2.0)", "[2, 2] (float32 [2])"}},
    }),
    page<aten::normal_>({
        .summary = "Fills self with numbers of the normal distribution with this mean and standard deviation.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating",
        .memory = written,
        .cost = and_logarithm,
        .errors = {not_floating("normal_([0, 0])"),
                   raises<error>("std is below 0 or NaN", "normal_([0.0], 0.0, -1.0)")},
        .examples = {{"normal_([0.0, 0.0])", ""}, {"normal_([0.0, 0.0], 2.0, 0.0)", "[2, 2] (float32 [2])"}},
    }),
    page<aten::exponential_>({
        .summary = "Fills self with numbers x above 0 of the density lambd * exp(-lambd * x).",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating",
        .memory = written,
        .cost = and_logarithm,
        .errors = {not_floating("exponential_([0, 0])"),
                   raises<error>("lambd is not above 0", "exponential_([0.0], 0.0)")},
        .examples = {{"exponential_([0.0, 0.0])", ""}},
    }),
    page<aten::random_, aten::random_to_, aten::random_from_>({
        .summary = "Fills self with integers, all equally likely: from from, or 0, to below to, or up to the maximum "
                   "of the dtype.",
        .shapes = "self: [..] -> the same",
        .dtypes =
            "any; the maximum is 1 for bool, and 2^11, 2^8, 2^24 and 2^53 for float16, bfloat16, float32 and float64",
        .memory = written,
        .cost = one_number,
        .errors = {raises<error>("from is not below to", "random_.to([0], 0)"),
                   raises<error>("the dtype does not hold from or values below to, or from is above its maximum",
                                 "random_.to([0] (uint8), 300)")},
        .examples = {{"random_([0, 0])", ""}, {"random_.from([0.0, 0.0], 5, 6)", "[5, 5] (float32 [2])"}},
    }),
    page<aten::bernoulli_float_, aten::bernoulli_Tensor_>({
        .summary = "Fills self with 1, with probability p, and 0.",
        .shapes = "self: [..], p: a number, or broadcasts to self -> self's",
        .dtypes = "any; a tensor p is floating",
        .memory = written,
        .cost = "one pass of stores, with a number of the generator's stream for each element; a tensor p is looked "
                "through before",
        .errors = {raises<error>("p, or an element of it, is not within 0 and 1", "bernoulli_.float([0.0], 2.0)"),
                   raises<dtype_error>("p is a tensor that is not floating", "bernoulli_.Tensor([0.0], [1])"),
                   raises<shape_error>("p does not broadcast to self", "bernoulli_.Tensor([0.0], [1.0, 0.0])"),
                   raises<device_error>("self and p are on different devices")},
        .examples = {{"bernoulli_.float([0, 0], 0.5)", ""},
                     {"bernoulli_.Tensor([0, 0], [1.0, 0.0])", "[1, 0] (int64 [2])"}},
    }),
    page<aten::bernoulli, aten::bernoulli_out, aten::bernoulli_p>({
        .summary = "Returns 1, with the probability that self's element is, or with probability p, and 0.",
        .shapes = "self: [..] -> the same",
        .dtypes = "floating; any where p is given; the result has self's dtype",
        .memory = "the result is new and dense, in the memory order of self; or out, with its own strides",
        .cost = "one pass, with a number of the generator's stream for each element; elements that are probabilities "
                "are looked through before",
        .errors = {raises<dtype_error>("self is not floating and no p is given, or out is not floating",
                                       "bernoulli([1, 0])"),
                   raises<error>("a probability is not within 0 and 1", "bernoulli([0.5, 2.0])"),
                   other_sizes("bernoulli.out([1.0, 0.0], out=[0.0])"),
                   raises<device_error>("self and out are on different devices")},
        .examples = {{"bernoulli([1.0, 0.0])", "[1, 0] (float32 [2])"},
                     {"bernoulli.p([1, 2, 3], 1.0)", "[1, 1, 1] (int64 [3])"}},
    }),
    page<aten::rand, aten::rand_generator, aten::rand_out, aten::rand_generator_out, aten::rand_like>({
        .summary = "Makes a tensor of these sizes, or like self, with numbers evenly distributed from 0 to below 1.",
        .shapes = "size: sizes, or self: [..] -> these sizes",
        .dtypes = "floating; by default float32, or self's",
        .memory = "the result is new and dense, row-major or in the memory order of self; or out, with its own strides",
        .cost = one_number,
        .errors = {raises<dtype_error>("the dtype is not floating", "rand([2], dtype=int64)"),
                   wrong_sizes("rand([-1])"), wrong_options("rand([2], pin_memory=True)"), no_device},
        .examples = {{"rand([2, 3])", ""}, {"rand_like([1.0, 2.0])", ""}},
    }),
    page<aten::randn, aten::randn_generator, aten::randn_out, aten::randn_generator_out, aten::randn_like>({
        .summary =
            "Makes a tensor of these sizes, or like self, with normal numbers of mean 0 and standard deviation 1.",
        .shapes = "size: sizes, or self: [..] -> these sizes",
        .dtypes = "floating; by default float32, or self's",
        .memory = "the result is new and dense, row-major or in the memory order of self; or out, with its own strides",
        .cost = and_logarithm,
        .errors = {raises<dtype_error>("the dtype is not floating", "randn([2], dtype=int64)"),
                   wrong_sizes("randn([-1])"), wrong_options("randn([2], pin_memory=True)"), no_device},
        .examples = {{"randn([2, 3])", ""}, {"randn_like([1.0, 2.0])", ""}},
    }),
    page<aten::randint, aten::randint_generator, aten::randint_low, aten::randint_low_generator, aten::randint_out,
         aten::randint_generator_out, aten::randint_low_out, aten::randint_low_generator_out>({
        .summary = "Makes a tensor of these sizes with integers from low, or 0, to below high, all equally likely.",
        .shapes = "size: sizes -> [size..]",
        .dtypes = "any; int64 by default",
        .memory = new_or_out,
        .cost = one_number,
        .errors = {raises<error>("low is not below high", "randint(0, [2])"),
                   raises<error>("the dtype does not hold a number between", "randint(300, [2], dtype=int8)"),
                   wrong_sizes("randint(2, [-1])"), wrong_options("randint(2, [2], pin_memory=True)"), no_device},
        .examples = {{"randint(2, [3])", ""}, {"randint.low(5, 6, [2])", "[5, 5] (int64 [2])"}},
    }),
    page<aten::randint_like, aten::randint_like_low_dtype>({
        .summary = "Makes a tensor like self with integers from low, or 0, to below high, all equally likely.",
        .shapes = "self: [..] -> the same",
        .dtypes = "any; the result has self's dtype by default",
        .memory = "the result is new and dense, in the memory order of self, or row-major with memory_format "
                  "contiguous_format",
        .cost = one_number,
        .errors = {raises<error>("low is not below high", "randint_like([1, 2], 0)"),
                   raises<error>("the dtype does not hold a number between", "randint_like([1] (int8), 300)"),
                   wrong_options("randint_like([1], 2, pin_memory=True)"), no_device},
        .examples = {{"randint_like([1, 2], 2)", ""},
                     {"randint_like.low_dtype([1.0, 2.0], 3, 4)", "[3, 3] (float32 [2])"}},
    }),
    page<aten::randperm, aten::randperm_generator, aten::randperm_out, aten::randperm_generator_out>({
        .summary = "Returns the integers from 0 to below n in random order.",
        .shapes = "n: an integer -> [n]",
        .dtypes = "any; int64 by default; it holds every integer below n",
        .memory = "the result is new and dense; or out, with its own stride",
        .cost = "n exchanges, one after the other, each with a number of the generator's stream; through an int64 "
                "tensor for other dtypes",
        .errors = {raises<error>("n is below 0", "randperm(-1)"),
                   raises<error>("the dtype does not hold every integer below n", "randperm(300, dtype=uint8)"),
                   other_sizes("randperm.out(3, out=[0])"), wrong_options("randperm(3, pin_memory=True)"), no_device},
        .examples = {{"randperm(1)", "[0] (int64 [1])"}, {"randperm(5)", ""}},
    }),
    page<aten::normal_Tensor_float, aten::normal_float_Tensor, aten::normal_Tensor_Tensor,
         aten::normal_Tensor_float_out, aten::normal_float_Tensor_out, aten::normal_Tensor_Tensor_out,
         aten::normal_float_float, aten::normal_float_float_out>({
        .summary =
            "Makes a tensor of normal numbers, with a mean and a standard deviation for each element or for all.",
        .shapes = "mean: [..] or a number, std: [..] or a number -> their broadcast; with two numbers size",
        .dtypes =
            "floating; the result has mean's dtype, std's where mean is a number; with two numbers dtype, or float32",
        .memory = new_or_out,
        .cost = "the pass of normal_, and one each for a tensor mean and a tensor std, which is first looked through, "
                "so that the call waits for the device; out of tensors is copied to",
        .errors = {raises<dtype_error>("mean, std, dtype or out is not floating", "normal.Tensor_float([1], 1.0)"),
                   raises<error>("std, or an element of it, is below 0 or NaN", "normal.Tensor_Tensor([1.0], [-1.0])"),
                   raises<shape_error>("mean and std do not broadcast",
                                       "normal.Tensor_Tensor([1.0, 2.0, 3.0], [0.0, 0.0])"),
                   other_sizes("normal.Tensor_float_out([1.0], 0.0, out=[0.0, 0.0])"),
                   raises<device_error>("the tensors are on different devices")},
        .examples = {{"normal.Tensor_float([1.0, 2.0], 0.0)", "[1, 2] (float32 [2])"},
                     {"normal.float_float(2.0, 0.5, [2])", ""}},
    }),
    page<aten::multinomial, aten::multinomial_out>({
        .summary = "Draws num_samples indices of each row, with its elements as weights, which need not sum to 1; "
                   "without replacement each at most once.",
        .shapes = "self: [N] or [rows, N] -> [num_samples] or [rows, num_samples]",
        .dtypes = "floating; the result is int64",
        .memory = "the result is new and dense; or out, with its own strides",
        .cost = "N + num_samples * log(N) for each row, through a tree of its sums in float64; rows are looked through "
                "before",
        .errors = {raises<dtype_error>("self is not floating, or out is bool", "multinomial([1, 2], 1)"),
                   raises<shape_error>("self has not one or two dimensions, or not 1 to 2^24 weights in a row",
                                       "multinomial(1.0, 1)"),
                   raises<error>("num_samples is below 1, or above N without replacement",
                                 "multinomial([1.0, 1.0], 3)"),
                   raises<error>("a weight is below 0 or not finite, or a row has fewer above 0 than are drawn",
                                 "multinomial([-1.0, 1.0], 1)"),
                   other_sizes("multinomial.out([0.0, 1.0], 1, out=[0, 0])"),
                   raises<device_error>("self and out are on different devices")},
        .examples = {{"multinomial([0.0, 1.0], 1)", "[1] (int64 [1])"},
                     {"multinomial([0.0, 2.0, 0.0], 3, True)", "[1, 1, 1] (int64 [3])"},
                     {"multinomial([1.0, 1.0, 1.0], 3)", ""}},
    }),
};

}  // namespace

void publish_random_docs() { author::publish_pages({"Random numbers", pages}).keep(); }

}  // namespace topbit::detail
