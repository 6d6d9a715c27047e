// What docs/porting.md puts beside PyTorch's C++ API: the codes of its tables and its blocks are lines of this program,
// which compiles and runs them.
#include <any>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

import topbit;
import topbit.autocast;
import topbit.contracts;
import topbit.modes;
import topbit.graphs;
import topbit.profiler;
import topbit.transform;
import topbit.cuda;

namespace tb = topbit;
namespace key = topbit::key;
namespace nn = topbit::nn;
namespace author = topbit::author;
using tb::arg;
using tb::shape;
using tb::tensor;

namespace {

int wrong = 0;

void expect(bool is_so, const char* what) {
  if (is_so) return;
  ++wrong;
  std::printf("wrong: %s\n", what);
}

// ---------------------------------------------------------------------------------------------- tensors

void tensors() {
  const tb::device where = tb::cpu;
  const tensor a = tb::tensor({{1.F, 2, 3}, {4, 5, 6}});
  const tensor zeros = tb::zeros({2, 3});
  const tensor wide = tb::empty({2, 3}, arg<"dtype"> = tb::dtype::float64, arg<"device"> = where);
  const tensor steps = tb::arange(0, 6, 2);
  const tensor sevens = tb::full_like(a, 7);
  tb::manual_seed(1);
  const tb::generator random(1);
  const tensor noise = tb::randn({2, 3}, arg<"generator"> = random);
  expect(wide.dtype() == tb::dtype::float64 && steps.numel() == 3 && noise.dim() == 2, "tensors are made");

  expect(a.sizes() == shape{2, 3} && a.strides() == shape{3, 1} && a.size(-1) == 3, "sizes");
  expect(a.dim() == 2 && a.numel() == 6 && a.is_contiguous() && a.defined(), "properties");
  expect(a.dtype() == tb::dtype::float32 && a.device() == where, "dtype and device");
  const float* elements = a.data_ptr<float>();
  expect(elements[1 * a.stride(0) + 2 * a.stride(1)] == 6, "elements");

  expect(tb::item<float>(tb::sum(a)) == 21, "a number");
  expect(tb::to(a, tb::dtype::float64).dtype() == tb::dtype::float64, "another dtype");
  expect(tb::to(a, where).same_as(a), "another device");
  const tensor own = tb::clone(a), dense = tb::contiguous(a), constant = tb::detach(a);
  expect(!author::same_view(own, a) && author::same_view(constant, a) && dense.defined(), "copies and views");

  tensor b = tb::clone(a);
  b += sevens;
  tb::add_(b, a, arg<"alpha"> = 2);
  tensor out = tb::empty({2, 3});
  tb::add(a, b, arg<"out"> = out);
  expect(tb::item<float>(tb::index(out, 0, 0)) == 11, "written in place");
  expect(tb::allclose(a * 2.0 + zeros, a + a), "arithmetic");
  expect(tb::sum(a, {1}).sizes() == shape{2}, "sums of rows");
  expect(tb::mean(a, {0, 1}, true).sizes() == shape{1, 1}, "a mean");
  expect(tb::matmul(a, tb::transpose(a, 0, 1)).sizes() == shape{2, 2}, "a product");
  expect(tb::view(a, {3, 2}).sizes() == shape{3, 2}, "a view");
  expect(tb::cat({a, a}).sizes() == shape{4, 3}, "joined");
  expect(tb::softmax(a, 1).sizes() == tb::cumsum(a, 1).sizes(), "by the schema's order");
  expect(tb::item<float>(tb::sum(a, std::nullopt)) == 21, "an overload");
  expect(tb::stddev(a, 1).numel() == 2, "a standard deviation");
  expect(tb::item<bool>(tb::all(a == a)), "comparison by element");
  const auto [largest, places] = tb::max(a, 1);
  expect(largest.numel() == 2 && places.dtype() == tb::dtype::int64, "several results");

  const tensor part = tb::index(a, tb::slice(0, 1), tb::ellipsis, tb::newaxis);
  expect(part.sizes() == shape{1, 3, 1}, "a part");
  tb::assign(b, 0, b > 10);
  tb::fill_(b[0], 1);
  tb::assign(b[0], a[0]);
  b[0] += 1;
  expect(tb::item(b[0][2]) == 4, "written through an index");
  tb::fill_(b[0], 1);
  tb::copy_(tb::slice(b, 1, 0, 2), tb::zeros({2, 2}));
  expect(tb::item(b[0][2]) == 1 && tb::item(b[0][1]) == 0, "written through views");
  expect(tb::tensor(3.5).dim() == 0 && tb::tensor({1, 2}, tb::dtype::float64).dim() == 1, "numbers");
  std::vector<float> numbers{1, 2, 3, 4};
  const tensor shared = tb::from_blob(numbers.data(), {2, 2});
  expect(shared.data() == numbers.data(), "the program's memory");
  expect(tb::tensor(numbers).numel() == 4, "a copy");
  expect(tb::mse_loss(a, a, tb::reduction::sum).dim() == 0, "a sum");
  std::cout << a << '\n';

  const std::string path = (std::filesystem::temp_directory_path() / "topbit_porting.safetensors").string();
  tb::save_tensors(path, {{"a", a}});
  const auto loaded = tb::load_tensors(path);
  expect(loaded[0].name == "a" && tb::size_of(a.dtype()) == 4, "a file");
  expect(a.numel() * std::int64_t(tb::size_of(a.dtype())) == 24, "its bytes");
  std::filesystem::remove(path);
  tb::set_num_threads(tb::num_threads());
}

// ---------------------------------------------------------------------------------------------- gradients

struct square {
  static tensor forward(tb::function_context& c, const tensor& x) {
    c.save(x);
    return x * x;
  }
  static tensor backward(tb::function_context& c, const tensor& gradient) { return gradient * c.saved(0) * 2.0; }
};

void gradients() {
  const tensor x = tb::from_values<float>({1, 2}, {2});
  tb::require_grad(x);
  expect(tb::requires_grad(x) && tb::is_leaf(x), "a leaf");
  const tensor y = tb::sum(tb::apply<square>(x));
  tb::retain_grad(y);
  tb::hook seen = tb::add_hook(x, [](const tensor& gradient) { return gradient; });
  tb::backward(y);
  expect(tb::item<float>(tb::index(tb::leaf_grad(x), 1)) == 4, "a gradient");
  seen.remove();
  tb::zero_grad(x);
  expect(tb::grad({tb::sum(x), tb::sum(x * x)}, {x}).size() == 1, "gradients of several");
  expect(tb::grad({tb::sum(x)}, std::vector<tensor>{x}).size() == 1, "with respect to a list");
  expect(tb::grad({x * x}, {x}, {.gradients = {tb::ones({2})}}).size() == 1, "a gradient of the output");
  const tensor dx = tb::grad(tb::sum(x * x), x, {.create_graph = true});
  expect(tb::requires_grad(dx) && !tb::leaf_grad(x).defined(), "a gradient that nobody gathers");
  {
    const tb::no_grad guard;
    expect(!tb::grad_enabled(), "no_grad");
    const tb::enable_grad again;
    expect(tb::grad_enabled(), "enable_grad");
  }
  const tb::inference_mode guard;
  expect(tb::is_inference(x * x), "inference");
  const tb::detect_anomaly looking;
}

// ---------------------------------------------------------------------------------------------- dispatch

inline constexpr tb::op<"port::scaled(Tensor self, *, Scalar scale=2) -> Tensor"> scaled;

tensor scaled_any(const tensor& self, const tb::scalar& scale) { return self * scale.to<double>(); }
tensor scaled_tracer(tb::key_set keys, const tensor& self, const tb::scalar& scale) {
  return scaled.redispatch(keys & tb::below(key::UserMiddle1), self, scale);
}
void forward_all(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& stack) {
  op.redispatch_boxed(keys.below_highest(), stack);
}

const auto library = tb::library("port").def(scaled).impl<&scaled_any>(scaled);
const auto more = tb::fragment("port");
const auto tracer = tb::implement("port", key::UserMiddle1).impl<&scaled_tracer>(scaled);
const auto passing = tb::implement("port", key::UserTop2).fallthrough(scaled, key::UserTop2);
const auto fallback = tb::fallback<&forward_all>(key::UserTop1);
const auto all_pass = tb::fallthrough(key::UserMiddle1);

// A structured operator.
inline constexpr tb::op<"port::same(Tensor self) -> Tensor"> same;
author::result_meta same_meta(std::string_view, const tensor& self) {
  return {.sizes = self.sizes(), .type = self.dtype(), .where = self.device(), .strides = {}};
}
using same_forms = author::structured<&same_meta, {}, same>;
const auto same_defined = tb::fragment("port").def(same);
const bool same_meta_rows = (author::register_rows(same_forms::meta_rows()), true);

// Memory of a device, and an object that travels in boxes.
void* allocate(tb::device, std::size_t bytes) { return std::malloc(bytes); }
void release(tb::device, void* p) noexcept { std::free(p); }
void copy(tb::device, void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }

struct packed final : tb::object {
  int width = 8;
};

int checked(int n) {
  if (n < 0) throw tb::error("port::checked: found " + std::to_string(n) + ", wanted 0 or more", "port::checked");
  return n;
}

void dispatch() {
  const tensor x = tb::from_values<float>({1, 2}, {2});
  expect(tb::allclose(scaled(x, arg<"scale"> = 3), x * 3.0), "a keyword");

  const tb::operator_handle add = tb::find("aten::add.Tensor");
  expect(!tb::registry::process().try_find("aten::nowhere"), "a name that is not there");
  const auto typed = add.typed<tensor(const tensor&, const tensor&, const tb::scalar&)>();
  expect(tb::allclose(typed(x, x, 1), x + x), "a typed call by name");
  tb::boxed_stack stack;
  stack.push(x);
  stack.push(x);
  stack.push(tb::scalar(1));
  add.call_boxed(stack);
  expect(stack.pop().get<tensor>().numel() == 2, "a boxed call");
  tensor filled = tb::zeros({2});
  expect(tb::explain(tb::aten::fill_Scalar_, filled, 1).op == "aten::fill_.Scalar", "an in-place operator's handle");
  expect(add.schema().starts_with("aten::add.Tensor(") && add.parsed_schema() != nullptr, "a schema");

  expect(keys_of(x).contains(key::CPU) && x.keys().contains(key::AutogradCPU), "keys");
  {
    const tb::include_guard tracing(key::UserMiddle1);
    const tb::exclude_guard below(tb::autograd_keys);
    const author::below_views guard;
    scaled(x);
    const tb::thread_key_state state = tb::current_thread_keys();
    const tb::force_guard restored(state);
  }
  expect(!to_string(tb::computed_table(add)).empty(), "a table");
  expect(tb::explain(tb::aten::add_Tensor, x, x).selected == key::AutogradCPU, "an explanation");
  expect(same(tb::to(x, tb::meta)).sizes() == x.sizes(), "a structured operator");
  const tb::object_ptr<packed> weights(new packed);
  const tb::value boxed(weights);
  expect(boxed.get<tb::object_ptr<packed>>()->width == 8, "an object");
  bool thrown = false;
  try {
    checked(-1);
  } catch (const tb::error& e) {
    thrown = e.op() == "port::checked";
  }
  expect(thrown, "an error");
  tb::set_memory_hook(tb::backend::PrivateUse1, {allocate, release, copy, copy});
  const auto named = tb::name_backend(tb::backend::PrivateUse1, "npu");
  expect(tb::parse_device("npu:1").index == 1, "a backend's name");
  const tb::device npu{tb::backend::PrivateUse1, 0};
  const tensor there = author::make_tensor({2, 3}, tb::dtype::float32, npu);
  auto* const first = static_cast<float*>(there.data());
  expect(first != nullptr && there.keys().contains(key::PrivateUse1), "a tensor of that device");
}

// ---------------------------------------------------------------------------------------------- training

struct network {
  nn::linear hidden, scores;

  explicit network(const tb::generator& random) : hidden(4, 8, random), scores(8, 3, random) {}

  tensor operator()(const tensor& x) const { return scores(tb::relu(hidden(x))); }
  static void each_parameter(auto& self, auto&& visit) {
    visit("hidden", self.hidden);
    visit("scores", self.scores);
  }
};

void training() {
  network net(tb::generator(1));
  expect(tb::parameters(net).size() == 4 && tb::named_parameters(net).at(0).name == "hidden.weight", "parameters");
  tb::set_training(net, true);
  tb::move_to(net, tb::cpu);
  tb::adamw optimizer(tb::parameters(net), {.learning_rate = 0.01});
  const tensor x = tb::ones({2, 4}), labels = tb::from_values<std::int64_t>({0, 2}, {2});
  const double before = tb::item(tb::cross_entropy_loss(net(x), labels));
  optimizer.set_schedule(tb::schedule::step{.every = 10, .factor = 0.5});
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    tb::backward(tb::cross_entropy_loss(net(x), labels));
    tb::clip_gradient_norm(tb::parameters(net), 1.0);
    optimizer.step();
  }
  expect(tb::item(tb::cross_entropy_loss(net(x), labels)) < before, "a step");
  {
    const tb::autocast scope(tb::backend::CPU);
    expect(tb::matmul(x, tb::t(x)).dtype() == tb::dtype::bfloat16, "autocast");
  }
  tb::loss_scaler scaler;
  expect(tb::item(scaler.scale(tb::tensor(2.0f))) == 131072, "a scaled loss");
  const auto small = nn::sequential(nn::linear(4, 8), tb::relu, nn::dropout(0.5));
  expect(small(x).sizes() == shape{2, 8}, "a sequence");

  const std::string path = (std::filesystem::temp_directory_path() / "topbit_porting_net.safetensors").string();
  tb::save_parameters(path, net);
  tb::load_parameters(path, net);
  tb::save_checkpoint(path, net, optimizer);
  tb::load_checkpoint(path, net, optimizer);
  std::filesystem::remove(path);
}

// -------------------------------------------------------------------------------- functions of functions

void transforms() {
  const tensor x = tb::rand({4, 3}), w = tb::rand({3}), v = tb::ones({3});
  const auto f = [](const tensor& a, const tensor& b) { return tb::dot(a, b); };
  const tensor y = tb::vmap(f, {.in = {0, tb::unmapped}})(x, w);
  expect(tb::allclose(y, tb::matmul(x, w)), "vmap");
  const auto squares = [](const tensor& a) { return tb::sum(a * a); };
  expect(tb::allclose(tb::grad_of(squares)(w), w * 2.0), "grad_of");
  const auto [z, pullback] = tb::vjp(squares, w);
  expect(tb::allclose(pullback(tb::ones_like(z)), w * 2.0), "vjp");
  expect(tb::allclose(tb::jvp(squares, w, v).second, tb::sum(w) * 2.0), "jvp");
  const tb::dual_level level;
  expect(tb::allclose(level.parts(squares(level.dual(w, v))).tangent, tb::sum(w) * 2.0), "dual");
  expect(tb::allclose(tb::jacrev(squares)(w), tb::jacfwd(squares)(w)), "jacobians");
  expect(tb::allclose(tb::hessian(squares)(w), tb::eye(3) * 2.0), "hessian");
}

// ---------------------------------------------------------------------------------------------- a GPU

void gpu() {
  if (!tb::cuda_available()) {
    expect(tb::cuda_device_count() == 0 && !tb::cuda_unavailable_reason().empty(), "why there is no GPU");
    return;
  }
  const tb::device where = tb::cuda();
  const tensor x = tb::ones({4}, arg<"device"> = where), host = tb::pin_memory(tb::ones({4}));
  const tb::stream stream = tb::stream::from_pool(tb::cuda());
  {
    const tb::stream_guard guard(stream);
    tb::record_stream(x, stream);
    const tb::event event = stream.record();
    tb::stream::current(tb::cuda()).wait(event);
  }
  const tb::cuda_graph graph = tb::cuda_graph::capture([&] { x + x; });
  graph.replay();
  tb::synchronize(where);
  tb::release_cached_memory(where);
}

void watching() {
  int calls = 0;
  const auto mode = [&](tb::modes::call& c) {
    ++calls;
    c.proceed();
  };
  tb::contracts::checker check;
  {
    const tb::modes::scope on(mode, tb::modes::below);
    const tb::modes::scope checked(check, tb::modes::above);
    tb::ones({4}) + 1;
  }
  expect(calls > 0 && check.calls() > 0 && check.findings().empty(), "modes");

  std::atomic<int> seen = 0;
  const auto object = [&](const tb::observe::event&) { ++seen; };
  tb::profile::session p({.threads = tb::observe::threads::mine});
  {
    const tb::observe::observer watching(object, {.threads = tb::observe::threads::all});
    const tb::observe::profile_range range("step");
    tb::ones({4}) + 1;
  }
  const std::string path = (std::filesystem::temp_directory_path() / "topbit_porting.json.gz").string();
  p.write_trace(path);
  std::filesystem::remove(path);
  expect(seen > 1 && p.table().events > 1, "observers and profiles");
}

void record_and_replay() {
  const auto f = [](const tensor& x) { return tb::relu(x) * 2; };
  const tensor x = tb::tensor({-1.f, 2});
  const tb::graphs::graph g = tb::graphs::record(f, x);
  expect(tb::equal(tb::graphs::replay(g, {x})[0], f(x)), "recorded programs");
  const std::string path = (std::filesystem::temp_directory_path() / "topbit_porting.safetensors").string();
  tb::graphs::save_graph(path, g);
  expect(tb::graphs::load_graph(path).nodes().size() == g.nodes().size(), "files of recorded programs");
  std::filesystem::remove(path);
}

}  // namespace

int main() {
  tensors();
  gradients();
  dispatch();
  training();
  transforms();
  gpu();
  watching();
  record_and_replay();
  return wrong == 0 ? 0 : 1;
}
