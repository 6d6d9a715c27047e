module;

#include "kernel_abi.h"

module topbit.ops;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :random.random_kernels;
import :registration.composite;
import :registration.factory;

#include "../registration/kernel_abi_bridge.h"

namespace topbit::detail {

static_assert(static_cast<int>(random_code::integer) == TB_RANDOM_INTEGER);
static_assert(static_cast<int>(random_code::permutation) == TB_RANDOM_PERMUTATION);
static_assert(static_cast<int>(random_code::check_weights) == TB_RANDOM_CHECK_WEIGHTS);
static_assert(static_cast<int>(random_code::count) == TB_RANDOM_COUNT);

namespace {

// A plan in row-major order of the first operand: dimensions may be merged, but are never reordered.
tb_plan row_major_plan(backend_call c, std::initializer_list<const tensor*> operands) {
  const tensor& first = **operands.begin();
  tb_plan plan{};
  plan.operands = static_cast<std::int32_t>(operands.size());
  for (std::size_t d = first.dim(); d-- > 0;) {
    const std::int32_t at = plan.ndim++;
    plan.sizes[at] = first.sizes()[d];
    std::size_t k = 0;
    bool mergeable = at > 0;
    for (const tensor* t : operands) {
      const std::size_t missing = first.dim() - t->dim();
      const bool repeats = d < missing || t->sizes()[d - missing] == 1;
      std::int64_t* const strides = plan.operand[k++].strides;
      strides[at] = repeats ? 0 : t->strides()[d - missing];
      mergeable = mergeable && strides[at] == strides[at - 1] * plan.sizes[at - 1];
    }
    if (mergeable) {
      plan.sizes[at - 1] *= plan.sizes[at];
      --plan.ndim;
    }
  }
  if (plan.ndim == 0) plan.sizes[plan.ndim++] = 1;
  std::size_t k = 0;
  for (const tensor* t : operands) {
    check_storage(c, *t);
    plan.operand[k].data = t->data();
    plan.operand[k++].dtype = static_cast<std::int32_t>(t->dtype());
  }
  return plan;
}

using two_numbers = std::array<tb_scalar, 2>;

tb_random random_call(tb_random_op op, const tb_plan& plan, two_numbers numbers) {
  tb_random call{};
  call.plan = plan;
  call.op = op;
  call.number[0] = numbers[0];
  call.number[1] = numbers[1];
  return call;
}

// Reserves one random number per element of the result, or finds the numbers that another example reserved, or asks the
// recorder where the state will be at replay, and runs the kernel.
void draw(backend_call c, tb_random_op op, const tb_plan& plan, const tensor& out, generator_argument g,
          two_numbers numbers) {
  present(c, c.table->random);  // before the generator advances
  generator source = g.has_value() ? *g : default_generator(out.device());
  const auto count = static_cast<std::uint64_t>(out.numel());
  tb_random call = random_call(op, plan, numbers);
  const author::random_stream* const stream = this_thread_stream;
  const author::random_position at =
      stream == nullptr ? new_position(out.device(), source, count) : stream->next(out.device(), source, count);
  call.philox_state = static_cast<const std::uint64_t*>(at.state);
  call.seed = at.seed;
  call.first = at.first;
  if (stream != nullptr) call.subsequence = stream->subsequence();
  check_status(c, run_kernel(c, out, c.table->random, &call), out);
}
// Checks the elements that a draw depends on, before the generator advances. False if one is invalid.
bool good_values(backend_call c, tb_random_op check, const tb_plan& plan, const tensor& t, two_numbers numbers) {
  const tb_random call = random_call(check, plan, numbers);
  const tb_status status = run_kernel(c, t, c.table->random, &call);
  if (status != TB_BAD_VALUE) check_status(c, status, t);
  return status == TB_OK;
}
void fill_random(backend_call c, tb_random_op op, const tensor& out, generator_argument g, two_numbers numbers) {
  if (out.numel() != 0) draw(c, op, row_major_plan(c, {&out}), out, g, numbers);
}

result_meta meta_like(const tensor& self, dtype type) {
  const tensor* const order[] = {&self};
  return {self.sizes(), type, self.device(), author::result_strides(self.sizes(), order)};
}
result_meta filled(backend_call c, const tensor& self) {
  check_defined(c, self);
  return meta_like(self, self.dtype());
}
result_meta filled_floating(backend_call c, const tensor& self) {
  check_defined(c, self);
  check_floating(c, self.dtype());
  return meta_like(self, self.dtype());
}

std::string text_of(double x) { return to_string(scalar(x)); }

// The default range of random integers of a dtype, and the integers that it represents.
struct integer_facts {
  std::int64_t greatest;  // of floating dtypes: all integers up to here are exact
  std::int64_t low, high;
};
integer_facts integers_of(dtype t) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                         most = std::numeric_limits<std::int64_t>::max();
  switch (t) {
    case dtype::boolean: return {1, 0, 1};
    case dtype::uint8: return {255, 0, 255};
    case dtype::int8: return {127, -128, 127};
    case dtype::int16: return {32767, -32768, 32767};
    case dtype::int32: return {2147483647, -2147483648, 2147483647};
    case dtype::int64: return {most, least, most};
    case dtype::float16: return {1 << 11, -65504, 65504};
    case dtype::bfloat16: return {1 << 8, least, most};
    case dtype::float32: return {1 << 24, least, most};
    case dtype::float64: break;
  }
  return {std::int64_t{1} << 53, least, most};
}

void check_held(backend_call c, std::int64_t x, dtype type) {
  const integer_facts facts = integers_of(type);
  if (x >= facts.low && x <= facts.high) return;
  refuse<error>(c, "found the bound " + std::to_string(x) + " for " + std::string(name_of(type)) + ", which holds " +
                       std::to_string(facts.low) + " to " + std::to_string(facts.high));
}

// The integer nearest to x, in the given direction, that a floating dtype represents: the digits of
// integers_of().greatest, then zeros. None if it exceeds 64 bits.
std::optional<std::int64_t> element_beside(std::int64_t x, dtype type, bool above) {
  if (!is_floating(type)) return x;
  const auto size = static_cast<std::uint64_t>(x < 0 ? -(x + 1) : x);
  const int zeros = std::bit_width(size) - std::bit_width(static_cast<std::uint64_t>(integers_of(type).greatest)) + 1;
  if (zeros <= 0) return x;
  const std::int64_t unit = std::int64_t{1} << zeros, rest = (x % unit + unit) % unit;
  std::int64_t found = 0;
  if (rest == 0) return x;
  if (__builtin_add_overflow(x - rest, above ? unit : 0, &found)) return std::nullopt;
  return found;
}

// The bounds of a draw, rounded inwards to values of the dtype, so that no drawn number rounds out of range.
struct element_bounds {
  std::int64_t low, greatest;
};
element_bounds bounds_of(backend_call c, std::int64_t low, std::int64_t greatest, dtype type) {
  const auto first = element_beside(low, type, true), last = element_beside(greatest, type, false);
  if (first && last && *first <= *last) return {*first, *last};
  refuse<error>(c, "found the bounds " + std::to_string(low) + " and " + std::to_string(greatest) +
                       ", both included, wanted an element of " + std::string(name_of(type)) + " between them");
}

void fill_integers(backend_call c, std::int64_t low, std::int64_t greatest, generator_argument g, const tensor& out) {
  const element_bounds bounds = bounds_of(c, low, greatest, out.dtype());
  fill_random(c, TB_RANDOM_INTEGER, out, g, {tb_scalar{0, bounds.low}, tb_scalar{0, bounds.greatest}});
}

void check_probability(backend_call c, double p) {
  if (!(p >= 0 && p <= 1)) refuse<error>(c, "found p " + text_of(p) + ", wanted 0 to 1");
}

void draw_bernoulli(backend_call c, const tensor& p, generator_argument g, const tensor& out) {
  if (out.numel() == 0) return;
  const tb_plan plan = row_major_plan(c, {&out, &p});
  if (!good_values(c, TB_RANDOM_CHECK_PROBABILITIES, plan, p, {})) {
    refuse<error>(c, "found a probability " + describe(p) + " outside 0 to 1");
  }
  draw(c, TB_RANDOM_BERNOULLI_OF, plan, out, g, {});
}

}  // namespace

result_meta uniform_kernel::meta(std::string_view op, const tensor& self, double from, double to, generator_argument) {
  const backend_call c{nullptr, op};
  const result_meta result = filled_floating(c, self);
  const double most = greatest_of(self.dtype());
  const auto fits = [most](double x) { return x >= -most && x <= most; };
  if (!(from <= to) || !fits(from) || !fits(to) || !fits(to - from)) {
    refuse<error>(c, "found from " + text_of(from) + " and to " + text_of(to) +
                         ", wanted from <= to, and both and their distance within " +
                         std::string(name_of(self.dtype())));
  }
  return result;
}
void uniform_kernel::run(backend_call c, const tensor&, double from, double to, generator_argument g,
                         const tensor& out) {
  fill_random(c, TB_RANDOM_UNIFORM, out, g, {to_abi(from), to_abi(to)});
}

result_meta normal_kernel::meta(std::string_view op, const tensor& self, double, double std, generator_argument) {
  const backend_call c{nullptr, op};
  const result_meta result = filled_floating(c, self);
  if (!(std >= 0)) refuse<error>(c, "found std " + text_of(std) + ", wanted 0 or more");
  return result;
}
void normal_kernel::run(backend_call c, const tensor&, double mean, double std, generator_argument g,
                        const tensor& out) {
  fill_random(c, TB_RANDOM_NORMAL, out, g, {to_abi(mean), to_abi(std)});
}

result_meta exponential_kernel::meta(std::string_view op, const tensor& self, double rate, generator_argument) {
  const backend_call c{nullptr, op};
  const result_meta result = filled_floating(c, self);
  if (!(rate > 0)) refuse<error>(c, "found lambd " + text_of(rate) + ", wanted more than 0");
  return result;
}
void exponential_kernel::run(backend_call c, const tensor&, double rate, generator_argument g, const tensor& out) {
  fill_random(c, TB_RANDOM_EXPONENTIAL, out, g, {to_abi(rate), tb_scalar{}});
}

void check_integers(backend_call c, std::int64_t low, std::int64_t high, dtype type) {
  if (low >= high) {
    refuse<error>(c, "found the bounds " + std::to_string(low) + " and " + std::to_string(high) +
                         ", wanted the first below the second");
  }
  check_held(c, low, type);
  check_held(c, high - 1, type);
  bounds_of(c, low, high - 1, type);
}

result_meta random_kernel::meta(std::string_view op, const tensor& self, generator_argument) {
  return filled({nullptr, op}, self);
}
void random_kernel::run(backend_call c, const tensor& self, generator_argument g, const tensor& out) {
  fill_integers(c, 0, integers_of(self.dtype()).greatest, g, out);
}
result_meta random_to_kernel::meta(std::string_view op, const tensor& self, std::int64_t to, generator_argument) {
  const result_meta result = filled({nullptr, op}, self);
  check_integers({nullptr, op}, 0, to, self.dtype());
  return result;
}
void random_to_kernel::run(backend_call c, const tensor&, std::int64_t to, generator_argument g, const tensor& out) {
  fill_integers(c, 0, to - 1, g, out);
}
result_meta random_from_kernel::meta(std::string_view op, const tensor& self, std::int64_t from, bound to,
                                     generator_argument) {
  const backend_call c{nullptr, op};
  const result_meta result = filled(c, self);
  if (to.has_value()) {
    check_integers(c, from, *to, self.dtype());
  } else {
    check_held(c, from, self.dtype());
    const std::int64_t greatest = integers_of(self.dtype()).greatest;
    if (from > greatest) {
      refuse<error>(c, "found from " + std::to_string(from) + ", wanted at most " + std::to_string(greatest));
    }
  }
  return result;
}
void random_from_kernel::run(backend_call c, const tensor& self, std::int64_t from, bound to, generator_argument g,
                             const tensor& out) {
  fill_integers(c, from, to.has_value() ? *to - 1 : integers_of(self.dtype()).greatest, g, out);
}

result_meta bernoulli_kernel::meta(std::string_view op, const tensor& self, double p, generator_argument) {
  const result_meta result = filled({nullptr, op}, self);
  check_probability({nullptr, op}, p);
  return result;
}
void bernoulli_kernel::run(backend_call c, const tensor&, double p, generator_argument g, const tensor& out) {
  fill_random(c, TB_RANDOM_BERNOULLI, out, g, {to_abi(p), tb_scalar{}});
}

result_meta bernoulli_tensor_kernel::meta(std::string_view op, const tensor& self, const tensor& p,
                                          generator_argument) {
  const backend_call c{nullptr, op};
  const result_meta result = filled(c, self);
  check_defined(c, p);
  check_floating(c, p.dtype());
  if (broadcast(op, self.sizes(), p.sizes()) != self.sizes()) {
    refuse<shape_error>(c, "found probabilities of sizes " + to_string(p.sizes()) + ", wanted them to broadcast to " +
                               to_string(self.sizes()));
  }
  return result;
}
void bernoulli_tensor_kernel::run(backend_call c, const tensor&, const tensor& p, generator_argument g,
                                  const tensor& out) {
  draw_bernoulli(c, p, g, out);
}
result_meta bernoulli_self_kernel::meta(std::string_view op, const tensor& self, generator_argument) {
  return filled_floating({nullptr, op}, self);
}
void bernoulli_self_kernel::run(backend_call c, const tensor& self, generator_argument g, const tensor& out) {
  draw_bernoulli(c, self, g, out);
}

result_meta multinomial_kernel::meta(std::string_view op, const tensor& self, std::int64_t samples, bool again,
                                     generator_argument) {
  const backend_call c{nullptr, op};
  check_defined(c, self);
  check_floating(c, self.dtype());
  if (self.dim() != 1 && self.dim() != 2) {
    refuse<shape_error>(c, "found weights of sizes " + to_string(self.sizes()) + ", wanted [n] or [rows, n]");
  }
  const std::int64_t length = self.sizes()[self.dim() - 1];
  if (length < 1 || length > 1 << 24) {
    refuse<shape_error>(c, "found " + std::to_string(length) + " weights, wanted 1 to 2^24");
  }
  if (samples < 1 || (!again && samples > length)) {
    refuse<error>(c, "found num_samples " + std::to_string(samples) + ", wanted " +
                         (again ? "1 or more" : "1 to " + std::to_string(length) + "; pass replacement for more"));
  }
  shape sizes = self.sizes();
  sizes[sizes.size() - 1] = samples;
  return {sizes, dtype::int64, self.device(), {}};
}
void multinomial_kernel::run(backend_call c, const tensor& self, std::int64_t samples, bool again, generator_argument g,
                             const tensor& out) {
  if (out.numel() == 0) return;
  tb_plan plan{};
  plan.operands = 2;
  const tensor* const operands[] = {&out, &self};
  for (std::size_t k = 0; k < 2; ++k) {
    const tensor& t = *operands[k];
    check_storage(c, t);
    plan.operand[k].data = t.data();
    plan.operand[k].dtype = static_cast<std::int32_t>(t.dtype());
    for (std::size_t d = 0; d < t.sizes().size(); ++d) plan.operand[k].strides[d] = t.strides()[t.dim() - 1 - d];
  }
  plan.ndim = static_cast<std::int32_t>(out.dim());
  plan.sizes[0] = samples;
  plan.sizes[1] = out.dim() == 2 ? out.sizes()[0] : 1;
  const std::int64_t length = self.sizes()[self.dim() - 1];
  const two_numbers numbers{to_abi(length), to_abi(again)};
  if (!good_values(c, TB_RANDOM_CHECK_WEIGHTS, plan, self, numbers)) {
    refuse<error>(c, "found weights " + describe(self) +
                         " with a row that has a negative one, one that is not finite, or fewer than " +
                         std::to_string(again ? 1 : samples) + " above 0");
  }
  draw(c, TB_RANDOM_MULTINOMIAL, plan, out, g, numbers);
}

void check_permutation(backend_call c, std::int64_t n, dtype type) {
  if (n < 0) refuse<error>(c, "found n " + std::to_string(n) + ", wanted 0 or more");
  const std::int64_t greatest = integers_of(type).greatest;
  if (n - 1 > greatest) {
    refuse<error>(c, "found n " + std::to_string(n) + " for " + std::string(name_of(type)) +
                         ", which holds the integers up to " + std::to_string(greatest));
  }
}

tensor& randperm_out(backend_call c, std::int64_t n, generator_argument g, tensor& out) {
  check_defined(c, out);
  check_permutation(c, n, out.dtype());
  check_out(c, out, {n});
  check_written(c, out);
  if (c.table == nullptr || n == 0) return out;
  const bool direct = out.dtype() == dtype::int64;
  const tensor order = direct ? out : author::make_tensor({n}, dtype::int64, out.device());
  fill_random(c, TB_RANDOM_PERMUTATION, order, g, {});
  return direct ? out : copy(c, out, order);
}

void register_random() {
  register_forms(random_forms);
  register_without_gradient<aten::bernoulli, aten::bernoulli_p, aten::multinomial>();
}

}  // namespace topbit::detail
