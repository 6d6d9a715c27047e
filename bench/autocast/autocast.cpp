// bench_autocast: what the layer adds to a call whose kernel does nothing, and what scopes and whole networks cost.
#include <cstdint>
#include <string>
#include <vector>

#include "../dispatch/cases.h"
import topbit;
import topbit.autocast;

namespace tb = topbit;
namespace aten = topbit::aten;
using tb::backend;
using tb::dtype;
using tb::tensor;

namespace {

// Two operators with the same kernel; the first has a policy.
inline constexpr tb::op<"bench::lowered(Tensor a, Tensor b) -> int"> lowered;
inline constexpr tb::op<"bench::plain(Tensor a, Tensor b) -> int"> plain;
std::int64_t both_sizes(const tensor& a, const tensor& b) {
  return a.numel() + static_cast<std::int64_t>(a.dtype() == b.dtype());
}
const auto definitions = tb::library("bench").def(lowered).def(plain);
const auto kernels = tb::implement("bench")
                         .impl<&both_sizes>(lowered, tb::key::CPU)
                         .impl<&both_sizes>(plain, tb::key::CPU)
                         .fallthrough(lowered, tb::key::Autograd)
                         .fallthrough(plain, tb::key::Autograd);
inline constexpr auto table = tb::casts::policies(tb::casts::lower<lowered>{});
const auto installed = tb::author::install_casts<backend::CPU, table>();

tensor filled(dtype type, const tb::shape& sizes = {4, 4}) { return aten::full(sizes, 0.5, tb::arg<"dtype"> = type); }

// Calls of an operator; a scope is around all of them if `scoped`.
template <const auto& Op>
void add_calls(const std::string& name, bool scoped, const tensor& a, const tensor& b) {
  cases::add("autocast/" + name, [=](auto& rounds) {
    const tb::autocast scope(backend::CPU, {.enabled = scoped});
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) right = right && Op(a, b) == 17;
    return right;
  });
}

// The forward pass of a transformer block, of attention with eight heads and a feed-forward network.
struct block {
  std::int64_t width, heads = 8;
  tensor in, out, up, down, scale, shift;

  block(std::int64_t n, dtype type)
      : width(n),
        in(weight({3 * n, n}, type)),
        out(weight({n, n}, type)),
        up(weight({4 * n, n}, type)),
        down(weight({n, 4 * n}, type)),
        scale(filled(dtype::float32, {n})),
        shift(filled(dtype::float32, {n})) {}
  static tensor weight(const tb::shape& sizes, dtype type) {
    return tb::require_grad(tb::to(aten::randn(sizes) * 0.02, type));
  }

  template <class Cast>
  tensor operator()(const tensor& x, const Cast& cast) const {
    const tensor normal = aten::layer_norm(x, tb::shape{width}, scale, shift);
    const std::vector<tensor> parts = tb::chunk(aten::linear(cast(normal), in), 3, 2);
    const auto split = [&](const tensor& t) {
      return aten::transpose_int(aten::reshape(t, tb::shape{t.size(0), t.size(1), heads, width / heads}), 1, 2);
    };
    const tensor seen = aten::scaled_dot_product_attention(split(parts[0]), split(parts[1]), split(parts[2]));
    const tensor joined = aten::reshape(aten::transpose_int(seen, 1, 2), x.sizes());
    const tensor y = x + aten::linear(joined, out);
    const tensor again = aten::layer_norm(y, tb::shape{width}, scale, shift);
    return y + aten::linear(aten::gelu(aten::linear(cast(again), up)), down);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const tensor low = filled(dtype::bfloat16), wide = filled(dtype::float64);
  const tensor weight = tb::require_grad(filled(dtype::float32));
  add_calls<plain>("off", false, low, low);
  add_calls<plain>("no_policy", true, low, low);
  add_calls<lowered>("policy_off", false, low, low);
  add_calls<lowered>("nothing_to_cast", true, low, low);
  add_calls<lowered>("not_eligible", true, wide, wide);
  add_calls<lowered>("cached_weight", true, low, weight);
  cases::add("autocast/scope", [](auto& rounds) {
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      const tb::autocast scope(backend::CPU);
      right = right && tb::autocast_enabled(backend::CPU);
    }
    return right;
  });
  const tensor x = aten::randn(tb::shape{2, 64, 256});
  cases::add_timed("autocast/block_by_hand", [x](auto& rounds) {
    const block net(256, dtype::bfloat16);
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      const tensor y = net(x, [](const tensor& t) { return tb::to(t, dtype::bfloat16); });
      right = right && y.dtype() == dtype::float32;
    }
    return right;
  });
  cases::add_timed("autocast/block", [x](auto& rounds) {
    const block net(256, dtype::float32);
    const tb::autocast scope(backend::CPU);
    bool right = true;
    for ([[maybe_unused]] auto round : rounds) {
      const tensor y = net(x, [](const tensor& t) { return t; });
      right = right && y.dtype() == dtype::float32;
    }
    return right;
  });
  // The cost table is the dispatcher's.
  std::vector<char*> words(argv, argv + argc);
  char no_table[] = "--no-table";
  words.push_back(no_table);
  return cases::run(static_cast<int>(words.size()), words.data());
}
