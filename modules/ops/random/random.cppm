// Random number operators. docs/random.md defines which number of a generator's stream determines which element: the
// same on every backend and processor, for any strides. The default generator is the device's default_generator(). A
// call uses as many numbers as the result has elements, on the meta backend none.
//
// A generator with keys brings them to the call, so that kernels registered for key::CustomRNGKeyId are called for it.
export module topbit.ops:random.random;

import topbit.std;
import topbit.core;
import topbit.tensor;

export namespace topbit::aten {

/// Fills with numbers from `from` to below `to`. Floating dtypes. error unless from <= to, within the dtype.
inline constexpr op<
    "aten::uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator? generator=None) -> Tensor(a!)">
    uniform_;

/// Fills with normal numbers. Floating dtypes. error for a negative std.
inline constexpr op<
    "aten::normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator? generator=None) -> Tensor(a!)">
    normal_;

/// Fills with numbers x > 0 of the density lambd * exp(-lambd * x). Floating dtypes. error unless lambd is above 0.
inline constexpr op<"aten::exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None) -> Tensor(a!)">
    exponential_;

/// Fills with integers from 0 on, or `from`, to below `to`; without `to` up to the maximum of the dtype, for floating
/// dtypes the largest integer below which all integers are representable. Probabilities differ by at most 2^-64. If a
/// floating dtype does not represent every integer between the bounds, integers are rounded. error for a bound outside
/// the dtype, or an empty range.
inline constexpr op<"aten::random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)"> random_;
inline constexpr op<"aten::random_.to(Tensor(a!) self, int to, *, Generator? generator=None) -> Tensor(a!)"> random_to_;
inline constexpr op<
    "aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator? generator=None) -> Tensor(a!)">
    random_from_;

/// Fills with 1, with probability p, and 0; p is a number or a floating tensor that broadcasts to self. error unless p
/// is within 0 and 1.
inline constexpr op<"aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)">
    bernoulli_float_;
inline constexpr op<"aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, Generator? generator=None) -> Tensor(a!)">
    bernoulli_Tensor_;

/// 1 and 0 with the probabilities of self's elements, like self; or with p, the same for all.
inline constexpr op<"aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor"> bernoulli;
inline constexpr op<"aten::bernoulli.out(Tensor self, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)">
    bernoulli_out;
inline constexpr op<"aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor"> bernoulli_p;

/// Numbers from 0 to below 1. Floating dtypes, float32 if none is given.
inline constexpr op<
    "aten::rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    rand;
inline constexpr op<
    "aten::rand.generator(int[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    rand_generator;
inline constexpr op<"aten::rand.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)"> rand_out;
inline constexpr op<"aten::rand.generator_out(int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)">
    rand_generator_out;
inline constexpr op<
    "aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    rand_like;

/// Normal numbers of mean 0 and standard deviation 1. Floating dtypes, float32 if none is given.
inline constexpr op<
    "aten::randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    randn;
inline constexpr op<
    "aten::randn.generator(int[] size, *, Generator? generator, ScalarType? dtype=None, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    randn_generator;
inline constexpr op<"aten::randn.out(int[] size, *, Tensor(a!) out) -> Tensor(a!)"> randn_out;
inline constexpr op<"aten::randn.generator_out(int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)">
    randn_generator_out;
inline constexpr op<
    "aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    randn_like;

/// Integers from 0 on, or low, to below high. int64 if no dtype is given. error unless low < high, within the dtype.
inline constexpr op<
    "aten::randint(int high, int[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? "
    "pin_memory=None) -> Tensor">
    randint;
inline constexpr op<
    "aten::randint.generator(int high, int[] size, *, Generator? generator, ScalarType? dtype=long, Layout? "
    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor">
    randint_generator;
inline constexpr op<
    "aten::randint.low(int low, int high, int[] size, *, ScalarType? dtype=long, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    randint_low;
inline constexpr op<
    "aten::randint.low_generator(int low, int high, int[] size, *, Generator? generator, ScalarType? dtype=long, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor">
    randint_low_generator;
inline constexpr op<"aten::randint.out(int high, int[] size, *, Tensor(a!) out) -> Tensor(a!)"> randint_out;
inline constexpr op<
    "aten::randint.generator_out(int high, int[] size, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)">
    randint_generator_out;
inline constexpr op<"aten::randint.low_out(int low, int high, int[] size, *, Tensor(a!) out) -> Tensor(a!)">
    randint_low_out;
inline constexpr op<
    "aten::randint.low_generator_out(int low, int high, int[] size, *, Generator? generator, Tensor(a!) out) -> "
    "Tensor(a!)">
    randint_low_generator_out;
inline constexpr op<
    "aten::randint_like(Tensor self, int high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    randint_like;
inline constexpr op<
    "aten::randint_like.low_dtype(Tensor self, int low, int high, *, ScalarType? dtype=None, Layout? layout=None, "
    "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor">
    randint_like_low_dtype;

/// The integers below n in random order. int64 if no dtype is given.
inline constexpr op<
    "aten::randperm(int n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
    "-> Tensor">
    randperm;
inline constexpr op<
    "aten::randperm.generator(int n, *, Generator? generator, ScalarType? dtype=long, Layout? layout=None, Device? "
    "device=None, bool? pin_memory=None) -> Tensor">
    randperm_generator;
inline constexpr op<"aten::randperm.out(int n, *, Tensor(a!) out) -> Tensor(a!)"> randperm_out;
inline constexpr op<"aten::randperm.generator_out(int n, *, Generator? generator, Tensor(a!) out) -> Tensor(a!)">
    randperm_generator_out;

/// Normal numbers with a mean and a standard deviation for each element, or for all; two tensors broadcast. Sizes,
/// dtype and device are mean's, or std's if mean is a number. error for a negative std.
inline constexpr op<"aten::normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None) -> Tensor">
    normal_Tensor_float;
inline constexpr op<"aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) -> Tensor">
    normal_float_Tensor;
inline constexpr op<"aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None) -> Tensor">
    normal_Tensor_Tensor;
inline constexpr op<
    "aten::normal.Tensor_float_out(Tensor mean, float std=1, *, Generator? generator=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    normal_Tensor_float_out;
inline constexpr op<
    "aten::normal.float_Tensor_out(float mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> Tensor(a!)">
    normal_float_Tensor_out;
inline constexpr op<
    "aten::normal.Tensor_Tensor_out(Tensor mean, Tensor std, *, Generator? generator=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    normal_Tensor_Tensor_out;
inline constexpr op<
    "aten::normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, ScalarType? dtype=None, "
    "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor">
    normal_float_float;
inline constexpr op<
    "aten::normal.float_float_out(float mean, float std, int[] size, *, Generator? generator=None, Tensor(a!) out) -> "
    "Tensor(a!)">
    normal_float_float_out;

/// Indices into the last dimension of self, drawn with its elements as weights; without replacement distinct in each
/// row.
///
/// Shapes   [n] -> [num_samples], [rows, n] -> [rows, num_samples]
/// Dtypes   floating -> int64
/// Cost     n + num_samples * log(n) for each row
/// Errors   error for weights that are negative, not finite, or too few above 0
inline constexpr op<
    "aten::multinomial(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor">
    multinomial;
inline constexpr op<
    "aten::multinomial.out(Tensor self, int num_samples, bool replacement=False, *, Generator? generator=None, "
    "Tensor(a!) out) -> Tensor(a!)">
    multinomial_out;

}  // namespace topbit::aten

// One name for each function.
export namespace topbit {

inline constexpr overloads<aten::uniform_> uniform_;
inline constexpr overloads<aten::normal_> normal_;
inline constexpr overloads<aten::exponential_> exponential_;
inline constexpr overloads<aten::random_, aten::random_to_, aten::random_from_> random_;
inline constexpr overloads<aten::bernoulli_float_, aten::bernoulli_Tensor_> bernoulli_;
inline constexpr overloads<aten::bernoulli, aten::bernoulli_out, aten::bernoulli_p> bernoulli;
inline constexpr overloads<aten::rand, aten::rand_generator, aten::rand_out, aten::rand_generator_out> rand;
inline constexpr overloads<aten::rand_like> rand_like;
inline constexpr overloads<aten::randn, aten::randn_generator, aten::randn_out, aten::randn_generator_out> randn;
inline constexpr overloads<aten::randn_like> randn_like;
inline constexpr overloads<aten::randint, aten::randint_generator, aten::randint_low, aten::randint_low_generator,
                           aten::randint_out, aten::randint_generator_out, aten::randint_low_out,
                           aten::randint_low_generator_out>
    randint;
inline constexpr overloads<aten::randint_like, aten::randint_like_low_dtype> randint_like;
inline constexpr overloads<aten::randperm, aten::randperm_generator, aten::randperm_out, aten::randperm_generator_out>
    randperm;
inline constexpr overloads<aten::normal_Tensor_float, aten::normal_float_Tensor, aten::normal_Tensor_Tensor,
                           aten::normal_Tensor_float_out, aten::normal_float_Tensor_out, aten::normal_Tensor_Tensor_out,
                           aten::normal_float_float, aten::normal_float_float_out>
    normal;
inline constexpr overloads<aten::multinomial, aten::multinomial_out> multinomial;

}  // namespace topbit
