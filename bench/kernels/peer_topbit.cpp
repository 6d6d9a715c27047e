// topbit's operators, by the calls its users write. The memory of all arrays is that of topbit's tensors.
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>

#include "data.h"
#include "peers.h"
import topbit;
#include "peer_topbit.h"

namespace tb = topbit;
namespace ops = topbit::ops;
using tb::tensor;

namespace bench {

namespace {

using maker = std::function<work(const problem&)>;

std::map<void*, tensor>& memory() {
  static std::map<void*, tensor> all;
  return all;
}

tb::dtype type_of(element type) {
  switch (type) {
    case element::float32: return tb::dtype::float32;
    case element::float64: return tb::dtype::float64;
    case element::bfloat16: return tb::dtype::bfloat16;
    case element::int64: return tb::dtype::int64;
  }
  throw std::logic_error("no such element");
}

tensor of(const array& a) {
  tb::dims sizes, strides;
  for (const std::int64_t size : a.sizes) sizes.push_back(size);
  strides = sizes;
  std::int64_t stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0; stride *= sizes[d]) strides[d] = stride;
  if (a.transposed) {
    const std::size_t last = sizes.size() - 1;
    strides[last] = sizes[last - 1];
    strides[last - 1] = 1;
  }
  return tb::author::make_view(memory().at(a.data), sizes, strides, 0);
}

array array_of(const problem& p, const tensor& t) {
  array a = p.result;
  a.sizes.assign(1, t.numel());
  a.data = t.data();
  if (!t.is_contiguous() || t.dtype() != type_of(a.type))
    throw std::logic_error(p.name() + ": a result of another kind");
  return a;
}

std::function<void(std::int64_t)> without_gradients(std::function<void(std::int64_t)> run) {
  return [run = std::move(run)](std::int64_t times) {
    const tb::no_grad guard;
    run(times);
  };
}

// Makes a tensor in each call and lets it go, with its memory where the pages are to be fresh.
template <class Call>
work fresh(const problem& p, Call call) {
  work w;
  if (p.how == form::unmapped) {
    w.run = without_gradients(repeat([call] {
      call();
      tb::release_cached_memory();
    }));
  } else {
    w.run = without_gradients(repeat([call] { const tensor dropped = call(); }));
  }
  w.result = [p, call, kept = std::make_shared<tensor>()] {
    const tb::no_grad guard;
    *kept = call();
    return array_of(p, *kept);
  };
  return w;
}

template <class Call>
work given(const problem& p, Call call) {
  tensor out = of(p.result);
  work w;
  w.run = without_gradients(repeat([call, out]() mutable { call(out); }));
  w.result = [p, call, out]() mutable {
    const tb::no_grad guard;
    call(out);
    return array_of(p, out);
  };
  return w;
}

template <class Op, class Out>
maker unary(Op op, Out out_op) {
  return [op, out_op](const problem& p) {
    const tensor a = of(p.inputs[0]);
    if (p.how == form::given) return given(p, [a, out_op](tensor& out) { out_op(a, tb::arg<"out"> = out); });
    return fresh(p, [a, op] { return op(a); });
  };
}

template <class Op, class Out>
maker binary(Op op, Out out_op) {
  return [op, out_op](const problem& p) {
    const tensor a = of(p.inputs[0]), b = of(p.inputs[1]);
    if (p.how == form::given) return given(p, [a, b, out_op](tensor& out) { out_op(a, b, tb::arg<"out"> = out); });
    return fresh(p, [a, b, op] { return op(a, b); });
  };
}

template <class Op>
maker reduction(Op op) {
  return [op](const problem& p) { return fresh(p, [a = of(p.inputs[0]), op] { return op(a); }); };
}

template <class Op>
maker rows(Op out_op) {
  return [out_op](const problem& p) {
    return given(p, [a = of(p.inputs[0]), out_op](tensor& out) { out_op(a, -1, tb::arg<"out"> = out); });
  };
}

work add(const problem& p) {
  if (p.how != form::in_place) return binary(ops::add, ops::add_out)(p);
  work w = given(p, [b = of(p.inputs[1])](tensor& out) { ops::add_(out, b); });
  w.result = [p, inner = w.result] {
    std::memcpy(p.result.data, p.inputs[0].data, static_cast<std::size_t>(p.result.count()) * bytes_of(p.result.type));
    return inner();
  };
  return w;
}

work relu(const problem& p) {
  const tensor a = of(p.inputs[0]);
  // There is no form of relu that writes; this one says the same.
  if (p.how == form::given) return given(p, [a](tensor& out) { ops::clamp_min_out(a, 0, tb::arg<"out"> = out); });
  return fresh(p, [a] { return ops::relu(a); });
}

work copy(const problem& p) {
  const tensor a = of(p.inputs[0]);
  if (p.how == form::given) return given(p, [a](tensor& out) { ops::copy_(out, a); });
  return fresh(p, [a] { return ops::clone(a); });
}

work empty(const problem& p) {
  return fresh(p, [sizes = tb::dims{p.size}] { return ops::empty(sizes); });
}

work convolve(const problem& p) {
  return fresh(p,
               [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), s = tb::dims{p.options[0], p.options[0]},
                padding = tb::dims{p.options[1], p.options[1]}] { return ops::conv2d(x, w, b, s, padding); });
}

work attend(const problem& p) {
  return fresh(p, [q = of(p.inputs[0]), k = of(p.inputs[1]), v = of(p.inputs[2])] {
    return ops::scaled_dot_product_attention(q, k, v);
  });
}

work normalise(const problem& p) {
  return fresh(p, [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), last = tb::dims{p.size}] {
    return ops::layer_norm(x, last, w, b);
  });
}

const std::map<std::string, maker>& makers() {
  static const std::map<std::string, maker> all{
      {"empty", empty},
      {"add", add},
      {"mul", binary(ops::mul, ops::mul_out)},
      {"relu", relu},
      {"copy", copy},
      {"exp", unary(ops::exp, ops::exp_out)},
      {"log", unary(ops::log, ops::log_out)},
      {"tanh", unary(ops::tanh, ops::tanh_out)},
      {"sigmoid", unary(ops::sigmoid, ops::sigmoid_out)},
      {"erf", unary(ops::erf, ops::erf_out)},
      {"gelu", unary(ops::gelu, ops::gelu_out)},
      {"sin", unary(ops::sin, ops::sin_out)},
      {"cos", unary(ops::cos, ops::cos_out)},
      {"pow", binary(ops::pow, ops::pow_out)},
      {"sum", reduction(ops::sum)},
      {"mean", reduction(ops::mean)},
      {"max", reduction(ops::max)},
      {"var", reduction(ops::var)},
      {"softmax", rows(ops::softmax_out)},
      {"log_softmax", rows(ops::log_softmax_out)},
      {"layer_norm", normalise},
      {"cross_entropy",
       [](const problem& p) {
         return fresh(p, [x = of(p.inputs[0]), y = of(p.inputs[1])] { return ops::cross_entropy_loss(x, y); });
       }},
      {"matmul", binary(ops::mm, ops::mm_out)},
      {"matmul_float64", binary(ops::mm, ops::mm_out)},
      {"matmul_bfloat16", binary(ops::mm, ops::mm_out)},
      {"matmul_shapes", binary(ops::mm, ops::mm_out)},
      {"matmul_transposed", binary(ops::mm, ops::mm_out)},
      {"matmul_batched", binary(ops::bmm, ops::bmm_out)},
      {"conv2d", convolve},
      {"attention", attend},
      {"embedding",
       [](const problem& p) {
         return fresh(p, [w = of(p.inputs[0]), i = of(p.inputs[1])] { return ops::embedding(w, i); });
       }},
  };
  return all;
}

}  // namespace

tensor tensor_of(const array& a) { return of(a); }

std::shared_ptr<void> take_memory(element type, std::int64_t count) {
  const tensor t = tb::author::make_tensor({count}, type_of(type), tb::cpu);
  memory().emplace(t.data(), t);
  return {t.data(), [](void* data) { memory().erase(data); }};
}

peer topbit_peer() {
  peer p{.name = "topbit", .version = std::string(tb::version), .setting = std::string(tb::cpu_isa())};
  p.prepare = [](const problem& wanted) -> std::optional<work> {
    if (wanted.family == "autograd") return recorded_work(wanted);
    const auto found = makers().find(wanted.operation);
    if (found == makers().end()) return std::nullopt;
    return found->second(wanted);
  };
  p.set_threads = tb::set_num_threads;
  return p;
}

}  // namespace bench
