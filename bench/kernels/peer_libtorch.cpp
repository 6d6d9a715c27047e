// libtorch at its best: without gradients in inference mode, results given where there is a form that takes them.
// Written for libtorch 1.13 and for 2.x.
#include <dlfcn.h>
#include <torch/torch.h>

#include <cstring>
#include <map>
#include <memory>

#include "peer_libtorch.h"
#include "peers.h"

using at::Tensor;

namespace bench {

namespace {

using maker = std::function<work(const problem&)>;

at::ScalarType type_of(element type) {
  switch (type) {
    case element::float32: return at::kFloat;
    case element::float64: return at::kDouble;
    case element::bfloat16: return at::kBFloat16;
    case element::int64: return at::kLong;
  }
  return at::kFloat;
}

Tensor of(const array& a) {
  std::vector<int64_t> sizes = a.sizes;
  if (a.transposed) std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  const Tensor t = at::from_blob(a.data, sizes, at::TensorOptions(type_of(a.type)));
  return a.transposed ? t.transpose(-1, -2) : t;
}

array array_of(const problem& p, const Tensor& t) {
  array a = p.result;
  a.sizes.assign(1, t.numel());
  a.data = t.data_ptr();
  TORCH_CHECK(t.is_contiguous() && t.scalar_type() == type_of(a.type), p.name(), ": a result of another kind");
  return a;
}

std::function<void(std::int64_t)> inference(std::function<void(std::int64_t)> run) {
  return [run = std::move(run)](std::int64_t times) {
    const c10::InferenceMode guard;
    run(times);
  };
}

template <class Call>
work fresh(const problem& p, Call call) {
  work w;
  w.run = inference(repeat([call] { const Tensor dropped = call(); }));
  w.result = [p, call, kept = std::make_shared<Tensor>()] {
    const c10::InferenceMode guard;
    *kept = call();
    return array_of(p, *kept);
  };
  return w;
}

template <class Call>
work given(const problem& p, Call call) {
  Tensor out = of(p.result);
  work w;
  w.run = inference(repeat([call, out]() mutable { call(out); }));
  w.result = [p, call, out]() mutable {
    const c10::InferenceMode guard;
    call(out);
    return array_of(p, out);
  };
  return w;
}

maker unary(Tensor (*call)(const Tensor&), Tensor& (*into)(Tensor&, const Tensor&)) {
  return [call, into](const problem& p) {
    const Tensor a = of(p.inputs[0]);
    if (p.how == form::given) return given(p, [a, into](Tensor& out) { into(out, a); });
    return fresh(p, [a, call] { return call(a); });
  };
}

maker binary(Tensor (*call)(const Tensor&, const Tensor&), Tensor& (*into)(Tensor&, const Tensor&, const Tensor&)) {
  return [call, into](const problem& p) {
    const Tensor a = of(p.inputs[0]), b = of(p.inputs[1]);
    if (p.how == form::given) return given(p, [a, b, into](Tensor& out) { into(out, a, b); });
    return fresh(p, [a, b, call] { return call(a, b); });
  };
}

// alpha has a default, which a function pointer has not.
Tensor add_new(const Tensor& a, const Tensor& b) { return at::add(a, b); }
Tensor& add_into(Tensor& out, const Tensor& a, const Tensor& b) { return at::add_out(out, a, b); }

work add(const problem& p) {
  if (p.how != form::in_place) return binary(add_new, add_into)(p);
  work w = given(p, [b = of(p.inputs[1])](Tensor& out) { out.add_(b); });
  w.result = [p, inner = w.result] {
    std::memcpy(p.result.data, p.inputs[0].data, static_cast<std::size_t>(p.result.count()) * bytes_of(p.result.type));
    return inner();
  };
  return w;
}

work relu(const problem& p) {
  const Tensor a = of(p.inputs[0]);
  if (p.how == form::given) return given(p, [a](Tensor& out) { at::clamp_min_out(out, a, 0); });
  return fresh(p, [a] { return at::relu(a); });
}

work copy(const problem& p) {
  const Tensor a = of(p.inputs[0]);
  if (p.how == form::given) return given(p, [a](Tensor& out) { out.copy_(a); });
  return fresh(p, [a] { return a.clone(); });
}

work gelu(const problem& p) {
  return given(p, [a = of(p.inputs[0])](Tensor& out) { at::gelu_out(out, a); });
}

template <class Call>
maker reduction(Call call) {
  return [call](const problem& p) { return fresh(p, [a = of(p.inputs[0]), call] { return call(a); }); };
}

// The shortest way to the kernel that writes into a given result.
template <class Call>
maker rows(Call call) {
  return [call](const problem& p) { return given(p, [a = of(p.inputs[0]), call](Tensor& out) { call(out, a); }); };
}

work convolve(const problem& p) {
  return fresh(p, [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), s = p.options[0],
                   padding = p.options[1]] { return at::conv2d(x, w, b, {s, s}, {padding, padding}); });
}

work attend(const problem& p) {
  return fresh(p, [q = of(p.inputs[0]), k = of(p.inputs[1]), v = of(p.inputs[2])] {
#if TORCH_VERSION_MAJOR >= 2
    return at::scaled_dot_product_attention(q, k, v);
#else
    // 1.13 has no such operator: what its users write.
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(-1)));
    return at::matmul(at::softmax(at::matmul(q, k.transpose(-1, -2)).mul_(scale), -1), v);
#endif
  });
}

work normalise(const problem& p) {
  return fresh(p, [x = of(p.inputs[0]), w = of(p.inputs[1]), b = of(p.inputs[2]), n = p.size] {
    return at::layer_norm(x, {n}, w, b);
  });
}

const std::map<std::string, maker>& makers() {
  static const maker mm = binary(at::mm, at::mm_out);
  static const std::map<std::string, maker> all{
      {"empty",
       [](const problem& p) {
         return fresh(p, [n = p.size, o = at::TensorOptions(at::kFloat)] { return at::empty({n}, o); });
       }},
      {"add", add},
      {"mul", binary(at::mul, at::mul_out)},
      {"relu", relu},
      {"copy", copy},
      {"exp", unary(at::exp, at::exp_out)},
      {"log", unary(at::log, at::log_out)},
      {"tanh", unary(at::tanh, at::tanh_out)},
      {"sigmoid", unary(at::sigmoid, at::sigmoid_out)},
      {"erf", unary(at::erf, at::erf_out)},
      {"gelu", gelu},
      {"sin", unary(at::sin, at::sin_out)},
      {"cos", unary(at::cos, at::cos_out)},
      {"pow", binary(at::pow, at::pow_out)},
      {"sum", reduction([](const Tensor& a) { return at::sum(a); })},
      {"mean", reduction([](const Tensor& a) { return at::mean(a); })},
      {"max", reduction([](const Tensor& a) { return at::max(a); })},
      {"var", reduction([](const Tensor& a) { return at::var(a); })},
      {"softmax", rows([](Tensor& out, const Tensor& a) { at::_softmax_out(out, a, -1, false); })},
      {"log_softmax", rows([](Tensor& out, const Tensor& a) { at::_log_softmax_out(out, a, -1, false); })},
      {"layer_norm", normalise},
      {"cross_entropy",
       [](const problem& p) {
         return fresh(p, [x = of(p.inputs[0]), y = of(p.inputs[1])] { return at::cross_entropy_loss(x, y); });
       }},
      {"matmul", mm},
      {"matmul_float64", mm},
      {"matmul_bfloat16", mm},
      {"matmul_shapes", mm},
      {"matmul_transposed", mm},
      {"matmul_batched", binary(at::bmm, at::bmm_out)},
      {"conv2d", convolve},
      {"attention", attend},
      {"embedding",
       [](const problem& p) {
         return fresh(p, [w = of(p.inputs[0]), i = of(p.inputs[1])] { return at::embedding(w, i); });
       }},
  };
  return all;
}

// What it says of itself: "AVX512", "AVX2", ...
std::string capability() {
  const std::string config = at::show_config(), key = "CPU capability usage: ";
  const std::size_t begin = config.find(key);
  if (begin == std::string::npos) return "unknown";
  return config.substr(begin + key.size(), config.find('\n', begin) - begin - key.size());
}

}  // namespace

Tensor torch_tensor_of(const array& a) { return of(a); }

peer libtorch_peer() {
  peer p{.name = "libtorch", .version = TORCH_VERSION, .setting = capability()};
  p.has_settings = true;
  p.prepare = [](const problem& wanted) -> std::optional<work> {
    if (wanted.family == "autograd") return recorded_work_of_libtorch(wanted);
    const auto found = makers().find(wanted.operation);
    if (found == makers().end()) return std::nullopt;
    const c10::InferenceMode guard;
    return found->second(wanted);
  };
  p.set_threads = [](int threads) {
    at::set_num_threads(threads);
    // Its OpenBLAS, where it has one, has threads of its own.
    static const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (set != nullptr) set(threads);
  };
  return p;
}

}  // namespace bench
