// What oneDNN computes with arrays: a primitive for each kind of call, found in the cache or made.
#include <array>
#include <cstring>
#include <optional>

#include "adapter.h"
#include "library.h"

namespace topbit::onednn::library {

using namespace adapter;

namespace {

// What a primitive does to a product before it is stored: scales, a bias, relu.
class epilogue {
 public:
  void scale(const scales& by) {
    if (by.count == 0) return;
    const int mask = by.count == 1 ? 0 : 1;
#if DNNL_VERSION_MAJOR < 3
    // Of the result, whose second dimension the channels are. The numbers are part of the primitive.
    attr_.set_output_scales(mask << 1, std::vector<float>(by.of, by.of + by.count));
#else
    attr_.set_scales_mask(DNNL_ARG_WEIGHTS, mask);
#endif
  }
  // Behind the scales, which 2.x would apply to a bias of the primitive's own.
  void add(const desc& bias) { after_.append_binary(algorithm::binary_add, bias); }
  void relu() {
#if DNNL_VERSION_MAJOR < 3
    after_.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
#else
    after_.append_eltwise(algorithm::eltwise_relu, 0, 0);
#endif
  }
  const dnnl::primitive_attr& done() {
    attr_.set_post_ops(after_);
    return attr_;
  }

 private:
  dnnl::primitive_attr attr_ = own_scratch();
  dnnl::post_ops after_;
};

constexpr int added_argument = DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1;

// A hash of the numbers, which are part of a primitive of 2.x.
std::int64_t hash_of_scales(const scales& by) noexcept {
  std::uint64_t h = static_cast<std::uint64_t>(by.count);
  for (std::int64_t i = 0; i < by.count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &by.of[i], sizeof bits);
    h = mixed(h, bits);
  }
  return static_cast<std::int64_t>(h);
}

void add_numbers(key& k, std::size_t& n, const std::int64_t* of, int count) {
  for (int i = 0; i < count; ++i) k.numbers[n++] = of[i];
}

// Row-major elements with other sizes: a view of the array, or of a row-major copy.
struct row_major_view {
  row_major_view(const thread_scope& scope, const array& a, const sizes& s) {
    const array* plain = &a;
    if (!a.form->is_row_major) {
      copy = make_array(row_major_format(a.form->type, a.form->shape));
      reorder_in(scope, a, *copy);
      plain = copy.get();
    }
    seen.reset(new array(row_major_format(a.form->type, s), plain->bytes, false));
  }
  array_ptr copy, seen;
};

sizes grouped(const sizes& weight, std::int64_t groups) {
  sizes s;
  s.of[s.count++] = groups;
  s.of[s.count++] = weight.of[0] / groups;
  for (int i = 1; i < weight.count; ++i) s.of[s.count++] = weight.of[i];
  return s;
}

// The sizes of a convolution's result.
sizes result_sizes(const sizes& input, std::int64_t outputs, const window& w) {
  sizes s = input;
  s.of[1] = outputs;
  for (int i = 0; i < w.dims; ++i) {
    const std::int64_t reach = w.dilation[i] * (w.size[i] - 1) + 1;
    s.of[i + 2] = (input.of[i + 2] + 2 * w.padding[i] - reach) / w.stride[i] + 1;
  }
  return s;
}

// Multiplications, where the result has the input's size over the strides.
std::int64_t convolution_work(const sizes& input, const sizes& weight, const window& w) {
  std::int64_t work = elements_of(input) / input.of[1] * elements_of(weight);
  for (int i = 0; i < w.dims; ++i) work /= w.stride[i];
  return work;
}

// The primitive of a product, and the formats that it wants of both operands.
template <class Primitive, class Description>
void set_product(entry& made, const Description& pd, const format_ptr& x, const format_ptr& weight, element result) {
  made.run = Primitive(pd);
  made.wanted[0] = wanted(pd.src_desc(), x);
  made.wanted[1] = wanted(pd.weights_desc(), weight);
  made.result = format_from(pd.dst_desc(), result);
  made.use_scratch(pd);
}

struct convolution_arguments {
  format_ptr input, weight, bias;
  window w;
  std::int64_t outputs;
  bool relu;
  scales by;
};

entry_ptr convolution_entry(const thread_scope& scope, const convolution_arguments& c) {
  key k{.op = operation::convolve, .threads = scope.threads(), .operands = {c.input, c.weight, c.bias, nullptr}};
  std::size_t n = 0;
  for (const std::int64_t* const list : {c.w.stride, c.w.padding, c.w.dilation}) add_numbers(k, n, list, c.w.dims);
  k.numbers[14] = c.relu ? 1 : 0;
  k.numbers[15] = hash_of_scales(c.by);
  return primitives().find(std::move(k), [&](entry& made) {
    const bool integers = is_integer(c.input->type);
    const element to = integers ? element::f32 : c.input->type;
    const desc source = any_format(c.input->type, c.input->shape), weight = any_format(c.weight->type, c.weight->shape),
               result = any_format(to, result_sizes(c.input->shape, c.outputs, c.w));
    const auto numbers = [&](const std::int64_t* of) { return dims(of, of + c.w.dims); };
    dims dilation = numbers(c.w.dilation);
    for (std::int64_t& d : dilation) --d;
    epilogue after;
    after.scale(c.by);
    if (integers && c.bias) after.add(c.bias->d);
    if (c.relu) after.relu();
    const auto make = [&](const auto&... bias) {
      return described<dnnl::convolution_forward>(
          after.done(), prop_kind::forward_inference, algorithm::convolution_direct, source, weight, bias..., result,
          numbers(c.w.stride), dilation, numbers(c.w.padding), numbers(c.w.padding));
    };
    set_product<dnnl::convolution_forward>(made, c.bias && !integers ? make(c.bias->d) : make(), c.input, c.weight, to);
  });
}

entry_ptr linear_entry(const thread_scope& scope, const format_ptr& x, const format_ptr& weight, const format_ptr& bias,
                       bool relu, const scales& by) {
  key k{.op = operation::linear, .threads = scope.threads(), .operands = {x, weight, bias, nullptr}};
  k.numbers[0] = relu ? 1 : 0;
  k.numbers[1] = hash_of_scales(by);
  return primitives().find(std::move(k), [&](entry& made) {
    const bool integers = is_integer(x->type);
    const element to = integers ? element::f32 : x->type;
    const sizes out{2, {x->shape.of[0], weight->shape.of[0]}};
    epilogue after;
    after.scale(by);
    if (integers && bias) after.add(bias->d);
    if (relu) after.relu();
    const auto make = [&](const auto&... b) {
      return described<dnnl::inner_product_forward>(after.done(), prop_kind::forward_inference,
                                                    row_major(x->type, x->shape),
                                                    any_format(weight->type, weight->shape), b..., row_major(to, out));
    };
    set_product<dnnl::inner_product_forward>(made, bias && !integers ? make(bias->d) : make(), x, weight, to);
  });
}

// Operands, bias, scales: what a product is run with. `e` has a primitive.
array_ptr run_product(const thread_scope& scope, const entry& e, const array& x, const array& weight, const array* bias,
                      [[maybe_unused]] const scales& by, packed_slot* packed = nullptr) {
  const fitting source(scope, x, e.wanted[0]);
  const array* given = &weight;
  if (packed != nullptr && e.wanted[1]) {
    if (packed->ready == nullptr || !same(packed->ready->form, e.wanted[1])) {
      packed->made = make_array(e.wanted[1]);
      reorder_in(scope, weight, *packed->made);
      given = packed->made.get();
    } else {
      given = packed->ready.get();
    }
  }
  const fitting factor(scope, *given, e.wanted[1]);
  array_ptr result = make_array(e.result);
  std::array<argument, 5> all{argument{DNNL_ARG_SRC, source.get()}, argument{DNNL_ARG_WEIGHTS, factor.get()},
                              argument{DNNL_ARG_DST, &result->m}};
  std::size_t count = 3;
  if (bias != nullptr) all[count++] = {is_integer(x.form->type) ? added_argument : DNNL_ARG_BIAS, &bias->m};
#if DNNL_VERSION_MAJOR >= 3
  memory factors;
  if (by.count != 0) {
    factors = memory(desc({by.count}, memory::data_type::f32, memory::format_tag::a), cpu(), const_cast<float*>(by.of));
    all[count++] = {DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, &factors};
  }
#endif
  execute(e, std::span(all).first(count));
  return result;
}

// Where a product does not take the bias as it is: row-major. To integers it is added like a tensor, with as many
// dimensions as the result.
std::optional<row_major_view> seen_bias(const thread_scope& scope, const array* bias, const array& input) {
  const bool integers = is_integer(input.form->type);
  if (bias == nullptr || (!integers && bias->form->is_row_major)) return std::nullopt;
  sizes s = integers ? input.form->shape : bias->form->shape;
  for (int i = 0; integers && i < s.count; ++i) s.of[i] = i == 1 ? bias->form->shape.of[0] : 1;
  return row_major_view(scope, *bias, s);
}
format_ptr form_of(const array* a) { return a != nullptr ? a->form : nullptr; }

// The weight in the format that the product wants.
array_ptr packed_by(const thread_scope& scope, const entry& e, const array& weight) {
  if (!e.run) return nullptr;
  if (!e.wanted[1]) return copied(weight);
  array_ptr packed = make_array(e.wanted[1]);
  reorder_in(scope, weight, *packed);
  return packed;
}

// Null where there is no primitive.
array_ptr run_unary(const entry& e, const array& x) {
  if (!e.run) return nullptr;
  array_ptr result = make_array(e.result);
  execute(e, std::array{argument{DNNL_ARG_SRC, &x.m}, argument{DNNL_ARG_DST, &result->m}});
  return result;
}

}  // namespace

array_ptr convolve(const array& input, const array& weight, const array* bias, const window& w, std::int64_t groups,
                   bool relu, const scales& by, packed_slot* packed) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(convolution_work(input.form->shape, weight.form->shape, w));
    const array* factor = &weight;
    std::optional<row_major_view> split;
    if (groups != 1 && weight.form->shape.count == w.dims + 2) {
      split.emplace(scope, weight, grouped(weight.form->shape, groups));
      factor = split->seen.get();
    }
    const sizes& s = factor->form->shape;
    const std::int64_t outputs = s.count == w.dims + 3 ? s.of[0] * s.of[1] : s.of[0];
    const std::optional<row_major_view> added = seen_bias(scope, bias, input);
    if (added.has_value()) bias = added->seen.get();
    const entry_ptr e = convolution_entry(scope, {input.form, factor->form, form_of(bias), w, outputs, relu, by});
    return e->run ? run_product(scope, *e, input, *factor, bias, by, packed) : nullptr;
  });
}

array_ptr packed_for(const array& weight, element input, const sizes& input_sizes, const window& w,
                     std::int64_t groups) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(convolution_work(input_sizes, weight.form->shape, w));
    const array* factor = &weight;
    std::optional<row_major_view> split;
    if (groups != 1) {
      split.emplace(scope, weight, grouped(weight.form->shape, groups));
      factor = split->seen.get();
    }
    const std::int64_t outputs = weight.form->shape.of[0];
    const entry_ptr e =
        convolution_entry(scope, {row_major_format(input, input_sizes), factor->form, nullptr, w, outputs, false, {}});
    return packed_by(scope, *e, *factor);
  });
}

array_ptr linear(const array& x, const array& weight, const array* bias, bool relu, const scales& by,
                 packed_slot* packed) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(x.form->shape.of[0] * elements_of(weight.form->shape));
    const std::optional<row_major_view> added = seen_bias(scope, bias, x);
    if (added.has_value()) bias = added->seen.get();
    const entry_ptr e = linear_entry(scope, x.form, weight.form, form_of(bias), relu, by);
    return e->run ? run_product(scope, *e, x, weight, bias, by, packed) : nullptr;
  });
}

array_ptr packed_for_linear(const array& weight, element input, std::int64_t rows) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(rows * elements_of(weight.form->shape));
    const sizes x{2, {rows, weight.form->shape.of[1]}};
    const entry_ptr e = linear_entry(scope, row_major_format(input, x), weight.form, nullptr, false, {});
    return packed_by(scope, *e, weight);
  });
}

array_ptr matmul(const array& a, const array& b) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(a.form->shape) * b.form->shape.of[1]);
    const entry_ptr e = primitives().find(
        {.op = operation::matmul, .threads = scope.threads(), .operands = {a.form, b.form, nullptr, nullptr}},
        [&](entry& made) {
          const sizes out{2, {a.form->shape.of[0], b.form->shape.of[1]}};
          const auto pd = described<dnnl::matmul>(own_scratch(), row_major(a.form->type, a.form->shape),
                                                  row_major(b.form->type, b.form->shape), row_major(a.form->type, out));
          set_product<dnnl::matmul>(made, pd, a.form, b.form, a.form->type);
        });
    return e->run ? run_product(scope, *e, a, b, nullptr, {}) : nullptr;
  });
}

namespace {

entry_ptr elementwise_entry(const thread_scope& scope, unary f, const array& x, float alpha, float beta) {
  key k{.op = operation::elementwise, .threads = scope.threads(), .operands = {x.form, nullptr, nullptr, nullptr}};
  k.numbers[0] = static_cast<std::int64_t>(f);
  std::memcpy(&k.numbers[1], &alpha, sizeof alpha);
  std::memcpy(&k.numbers[2], &beta, sizeof beta);
  return primitives().find(std::move(k), [&](entry& made) {
    constexpr std::array algorithms{algorithm::eltwise_relu,      algorithm::eltwise_gelu_erf,
                                    algorithm::eltwise_gelu_tanh, algorithm::eltwise_logistic,
                                    algorithm::eltwise_tanh,      algorithm::eltwise_linear};
    const algorithm a = algorithms[static_cast<std::size_t>(f)];
    const desc& d = x.form->d;
#if DNNL_VERSION_MAJOR < 3
    const auto pd = described<dnnl::eltwise_forward>(own_scratch(), prop_kind::forward_inference, a, d, alpha, beta);
#else
    const auto pd = described<dnnl::eltwise_forward>(own_scratch(), prop_kind::forward_inference, a, d, d, alpha, beta);
#endif
    made.run = dnnl::eltwise_forward(pd);
    made.result = x.form;
    made.use_scratch(pd);
  });
}

entry_ptr combine_entry(const thread_scope& scope, binary f, const array& a, const array& b) {
  key k{.op = operation::combine, .threads = scope.threads(), .operands = {a.form, b.form, nullptr, nullptr}};
  k.numbers[0] = static_cast<std::int64_t>(f);
  return primitives().find(std::move(k), [&](entry& made) {
    constexpr std::array algorithms{algorithm::binary_add, algorithm::binary_sub, algorithm::binary_mul};
    const desc& second = a.form->shape == b.form->shape ? a.form->d : b.form->d;
    const auto pd =
        described<dnnl::binary>(own_scratch(), algorithms[static_cast<std::size_t>(f)], a.form->d, second, a.form->d);
    made.run = dnnl::binary(pd);
    made.wanted[1] = wanted(pd.src1_desc(), b.form);
    made.result = a.form;
    made.use_scratch(pd);
  });
}

void run_binary(const thread_scope& scope, const entry& e, const array& a, const array& b, const array& result) {
  const fitting second(scope, b, e.wanted[1]);
  execute(e, std::array{argument{DNNL_ARG_SRC_0, &a.m}, argument{DNNL_ARG_SRC_1, second.get()},
                        argument{DNNL_ARG_DST, &result.m}});
}

}  // namespace

array_ptr elementwise(unary f, const array& x, float alpha, float beta) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(x.form->shape));
    return run_unary(*elementwise_entry(scope, f, x, alpha, beta), x);
  });
}
bool elementwise_(unary f, array& x, float alpha, float beta) {
  return translated([&] {
    const thread_scope scope(elements_of(x.form->shape));
    const entry_ptr e = elementwise_entry(scope, f, x, alpha, beta);
    if (!e->run) return false;
    execute(*e, std::array{argument{DNNL_ARG_SRC, &x.m}, argument{DNNL_ARG_DST, &x.m}});
    return true;
  });
}

array_ptr combine(binary f, const array& a, const array& b) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(a.form->shape));
    const entry_ptr e = combine_entry(scope, f, a, b);
    if (!e->run) return nullptr;
    array_ptr result = make_array(e->result);
    run_binary(scope, *e, a, b, *result);
    return result;
  });
}
bool combine_(binary f, array& a, const array& b) {
  return translated([&] {
    const thread_scope scope(elements_of(a.form->shape));
    const entry_ptr e = combine_entry(scope, f, a, b);
    if (e->run) run_binary(scope, *e, a, b, a);
    return static_cast<bool>(e->run);
  });
}

array_ptr pool(library::pooling how, const array& x, const window& w, const std::int64_t* out) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(x.form->shape));
    key k{.op = operation::pool, .threads = scope.threads(), .operands = {x.form, nullptr, nullptr, nullptr}};
    std::size_t n = 0;
    for (const std::int64_t* const list : {w.size, w.stride, w.padding, w.dilation, out}) add_numbers(k, n, list, 2);
    k.numbers[n] = static_cast<std::int64_t>(how);
    const entry_ptr e = primitives().find(std::move(k), [&](entry& made) {
      constexpr std::array algorithms{algorithm::pooling_max, algorithm::pooling_avg_include_padding,
                                      algorithm::pooling_avg_exclude_padding};
      sizes s = x.form->shape;
      dims behind(2), size(w.size, w.size + 2), stride(w.stride, w.stride + 2), dilation(2),
          before(w.padding, w.padding + 2);
      for (std::size_t i = 0; i < 2; ++i) {
        dilation[i] = w.dilation[i] - 1;
        const std::int64_t reach = (out[i] - 1) * w.stride[i] + w.dilation[i] * (w.size[i] - 1) + 1;
        behind[i] = reach - s.of[i + 2] - w.padding[i];
        s.of[i + 2] = out[i];
      }
      const auto pd = described<adapter::pooling>(own_scratch(), prop_kind::forward_inference,
                                                  algorithms[static_cast<std::size_t>(how)], x.form->d,
                                                  any_format(x.form->type, s), stride, size, dilation, before, behind);
      made.run = adapter::pooling(pd);
      made.result = format_from(pd.dst_desc(), x.form->type);
      made.use_scratch(pd);
    });
    return run_unary(*e, x);
  });
}

array_ptr normalise(const array& x, const array& mean, const array& variance, const array* scale, const array* shift,
                    float epsilon) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(x.form->shape));
    key k{.op = operation::normalise, .threads = scope.threads(), .operands = {x.form, nullptr, nullptr, nullptr}};
    std::memcpy(&k.numbers[0], &epsilon, sizeof epsilon);
    k.numbers[1] = (scale != nullptr ? 1 : 0) + (shift != nullptr ? 2 : 0);
    const entry_ptr e = primitives().find(std::move(k), [&](entry& made) {
      using dnnl::normalization_flags;
      normalization_flags flags = normalization_flags::use_global_stats;
      if (scale != nullptr) flags |= normalization_flags::use_scale;
      if (shift != nullptr) flags |= normalization_flags::use_shift;
      using primitive = dnnl::batch_normalization_forward;
#if DNNL_VERSION_MAJOR < 3
      const auto pd = described<primitive>(own_scratch(), prop_kind::forward_inference, x.form->d, epsilon, flags);
#else
      const auto pd =
          described<primitive>(own_scratch(), prop_kind::forward_inference, x.form->d, x.form->d, epsilon, flags);
#endif
      made.run = primitive(pd);
      made.result = x.form;
      made.use_scratch(pd);
    });
    if (!e->run) return nullptr;
    array_ptr result = make_array(e->result);
    std::array<argument, 6> all{argument{DNNL_ARG_SRC, &x.m}, argument{DNNL_ARG_DST, &result->m},
                                argument{DNNL_ARG_MEAN, &mean.m}, argument{DNNL_ARG_VARIANCE, &variance.m}};
    std::size_t count = 4;
    if (scale != nullptr) all[count++] = {DNNL_ARG_SCALE, &scale->m};
    if (shift != nullptr) all[count++] = {DNNL_ARG_SHIFT, &shift->m};
    execute(*e, std::span(all).first(count));
    return result;
  });
}

array_ptr softmax(const array& x, int dim) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(elements_of(x.form->shape));
    key k{.op = operation::softmax, .threads = scope.threads(), .operands = {x.form, nullptr, nullptr, nullptr}};
    k.numbers[0] = dim;
    const entry_ptr e = primitives().find(std::move(k), [&](entry& made) {
      const auto pd = described<adapter::softmax>(own_scratch(), prop_kind::forward_inference,
                                                  algorithm::softmax_accurate, x.form->d, x.form->d, dim);
      made.run = adapter::softmax(pd);
      made.result = x.form;
      made.use_scratch(pd);
    });
    return run_unary(*e, x);
  });
}

array_ptr concatenate(const array* const* parts, int count, int dim) {
  return translated([&]() -> array_ptr {
    const thread_scope scope(count * elements_of(parts[0]->form->shape));
    // Any number of operands, so not by the cache.
    std::vector<desc> sources;
    for (int i = 0; i < count; ++i) sources.push_back(parts[i]->form->d);
#if DNNL_VERSION_MAJOR < 3
    const dnnl::concat::primitive_desc pd(dim, sources, cpu(), own_scratch());
#else
    const dnnl::concat::primitive_desc pd(cpu(), dim, sources, own_scratch());
#endif
    entry e;
    e.run = dnnl::concat(pd);
    e.use_scratch(pd);
    array_ptr result = make_array(format_from(pd.dst_desc(), parts[0]->form->type));
    std::vector<argument> all{{DNNL_ARG_DST, &result->m}};
    for (int i = 0; i < count; ++i) all.push_back({DNNL_ARG_MULTIPLE_SRC + i, &parts[i]->m});
    execute(e, all);
    return result;
  });
}

}  // namespace topbit::onednn::library
