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
namespace aten = topbit::aten;
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
  tb::shape sizes, strides;
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
  if (p.how != form::in_place) return binary(aten::add_Tensor, aten::add_out)(p);
  work w = given(p, [b = of(p.inputs[1])](tensor& out) { aten::add_Tensor_(out, b); });
  w.result = [p, inner = w.result] {
    std::memcpy(p.result.data, p.inputs[0].data, static_cast<std::size_t>(p.result.count()) * bytes_of(p.result.type));
    return inner();
  };
  return w;
}

work relu(const problem& p) {
  const tensor a = of(p.inputs[0]);
  // There is no form of relu that writes; this one says the same.
  if (p.how == form::given) return given(p, [a](tensor& out) { aten::clamp_min_out(a, 0, tb::arg<"out"> = out); });
  return fresh(p, [a] { return aten::relu(a); });
}

work copy(const problem& p) {
  const tensor a = of(p.inputs[0]);
  if (p.how == form::given) return given(p, [a](tensor& out) { aten::copy_(out, a); });
  return fresh(p, [a] { return aten::clone(a); });
}

work empty(const problem& p) {
  return fresh(p, [sizes = tb::shape{p.size}] { return aten::empty_memory_format(sizes); });
}

work convolve(const problem& p) {
  return fresh(
      p, [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), s = tb::shape{p.options[0], p.options[0]},
          padding = tb::shape{p.options[1], p.options[1]}] { return aten::conv2d(x, w, b, s, padding); });
}

work attend(const problem& p) {
  return fresh(p, [q = of(p.inputs[0]), k = of(p.inputs[1]), v = of(p.inputs[2])] {
    return aten::scaled_dot_product_attention(q, k, v);
  });
}

work normalise(const problem& p) {
  return fresh(p, [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), last = tb::shape{p.size}] {
    return aten::layer_norm(x, last, w, b);
  });
}

const std::map<std::string, maker>& makers() {
  static const std::map<std::string, maker> all{
      {"empty", empty},
      {"add", add},
      {"mul", binary(aten::mul_Tensor, aten::mul_out)},
      {"relu", relu},
      {"copy", copy},
      {"exp", unary(aten::exp, aten::exp_out)},
      {"log", unary(aten::log, aten::log_out)},
      {"tanh", unary(aten::tanh, aten::tanh_out)},
      {"sigmoid", unary(aten::sigmoid, aten::sigmoid_out)},
      {"erf", unary(aten::erf, aten::erf_out)},
      {"gelu", unary(aten::gelu, aten::gelu_out)},
      {"sin", unary(aten::sin, aten::sin_out)},
      {"cos", unary(aten::cos, aten::cos_out)},
      {"pow", binary(aten::pow_Tensor_Tensor, aten::pow_Tensor_Tensor_out)},
      {"sum", reduction(aten::sum)},
      {"mean", reduction(aten::mean)},
      {"max", reduction(aten::max)},
      {"var", reduction(aten::var)},
      {"softmax", rows(aten::softmax_int_out)},
      {"log_softmax", rows(aten::log_softmax_int_out)},
      {"layer_norm", normalise},
      {"cross_entropy",
       [](const problem& p) {
         return fresh(p, [x = of(p.inputs[0]), y = of(p.inputs[1])] { return aten::cross_entropy_loss(x, y); });
       }},
      {"matmul", binary(aten::mm, aten::mm_out)},
      {"matmul_float64", binary(aten::mm, aten::mm_out)},
      {"matmul_bfloat16", binary(aten::mm, aten::mm_out)},
      {"matmul_shapes", binary(aten::mm, aten::mm_out)},
      {"matmul_transposed", binary(aten::mm, aten::mm_out)},
      {"matmul_batched", binary(aten::bmm, aten::bmm_out)},
      {"conv2d", convolve},
      {"attention", attend},
      {"embedding",
       [](const problem& p) {
         return fresh(p, [w = of(p.inputs[0]), i = of(p.inputs[1])] { return aten::embedding(w, i); });
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
