// Random programs of views, writes, copies and random numbers: their recordings replay to the same bits, and so do the
// graphs that passes make of them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/scale.h"
import topbit;
import topbit.graphs;

namespace tb = topbit;
namespace aten = topbit::aten;
namespace graphs = topbit::graphs;
using graphs::graph;
using tb::tensor;

namespace {

// Writes of one tensor that keep its elements small.
constexpr void (*writes_of_one[])(tensor&) = {
    [](tensor& t) { tb::abs_(t); },
    [](tensor& t) { tb::neg_(t); },
    [](tensor& t) { tb::sin_(t); },
    [](tensor& t) { tb::cos_(t); },
    [](tensor& t) { tb::tanh_(t); },
    [](tensor& t) { tb::atan_(t); },
    [](tensor& t) { tb::asinh_(t); },
    [](tensor& t) { tb::erf_(t); },
    [](tensor& t) { tb::erfc_(t); },
    [](tensor& t) { tb::floor_(t); },
    [](tensor& t) { tb::ceil_(t); },
    [](tensor& t) { tb::round_(t); },
    [](tensor& t) { tb::trunc_(t); },
    [](tensor& t) { tb::frac_(t); },
    [](tensor& t) { tb::sign_(t); },
    [](tensor& t) { tb::relu_(t); },
    [](tensor& t) { tb::relu6_(t); },
    [](tensor& t) { tb::elu_(t); },
    [](tensor& t) { tb::selu_(t); },
    [](tensor& t) { tb::celu_(t); },
    [](tensor& t) { tb::gelu_(t); },
    [](tensor& t) { tb::silu_(t); },
    [](tensor& t) { tb::mish_(t); },
    [](tensor& t) { tb::hardtanh_(t); },
    [](tensor& t) { tb::hardswish_(t); },
    [](tensor& t) { tb::hardsigmoid_(t); },
    [](tensor& t) { tb::leaky_relu_(t); },
    [](tensor& t) { tb::sigmoid_(t); },
    [](tensor& t) { tb::logical_not_(t); },
    [](tensor& t) { tb::threshold_(t, 0.25, 0.5); },
    [](tensor& t) { tb::clamp_(t, -1.5, 1.5); },
    [](tensor& t) { tb::clamp_min_(t, -0.5); },
    [](tensor& t) { tb::clamp_max_(t, 0.5); },
    [](tensor& t) { tb::fmod_(t, 0.75); },
    [](tensor& t) { tb::remainder_(t, 0.75); },
    [](tensor& t) { tb::eq_(t, 0.75); },
    [](tensor& t) { tb::gt_(t, 0.25); },
    [](tensor& t) { tb::nan_to_num_(t); },
};

// Takes one step after the other on tensors of its own choice; the same seed takes the same ones.
class program {
 public:
  explicit program(unsigned seed) : random_(seed) {}

  std::vector<tensor> run(const tensor& x, int steps) {
    all_ = {x, tb::full({4, 3}, 0.25), tb::rand({3})};
    for (int i = 0; i < steps; ++i) step();
    return {any(), any(), any()};
  }

 private:
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random_() % static_cast<unsigned>(n)); }
  const tensor& any() { return all_[random_() % all_.size()]; }
  std::int64_t any_dim(const tensor& t) { return below(t.dim()); }

  void step() {
    const tensor t = any();
    switch (below(30)) {
      case 0: return view(tb::unsqueeze(t, below(t.dim() + 1)));
      case 1: return t.dim() > 0 ? view(tb::select(t, any_dim(t), below(1))) : void();
      case 2: return t.dim() > 0 ? view(tb::narrow(t, any_dim(t), 0, 1)) : void();
      case 3: return t.dim() > 1 ? view(tb::transpose(t, 0, t.dim() - 1)) : void();
      case 4: return view(tb::alias(t));
      case 5: return view(tb::flatten(t));
      case 6: return t.dim() > 1 ? view(tb::diagonal(t)) : void();
      case 7: return t.dim() == 1 && t.numel() > 1 ? view(tb::as_strided(t, {2}, {1})) : void();
      case 8: return view(tb::expand(tb::unsqueeze(t, 0), std::vector<std::int64_t>(1 + t.dim(), -1)));
      case 9: return add(tb::sigmoid(t));
      case 10: return add(t + t * 0.5);
      case 11: return add(tb::tanh(t) - tb::mean(t));
      case 12: return add(tb::clone(t));
      case 13: return add(tb::rand_like(t));
      case 14: return add(tb::sum(t) * 0.125);
      case 15: return add(tb::cat({tb::flatten(t), tb::flatten(any())}));
      case 16: return view(tb::squeeze(t));
      case 17: return view(tb::detach(t));
      case 18: return t.dim() > 1 ? view(tb::permute(t, rotated(t.dim()))) : void();
      case 19: return t.dim() > 0 ? view(tb::split(t, 1, any_dim(t)).front()) : void();
      case 20: return t.dim() > 0 ? view(tb::unfold(t, any_dim(t), 1, 1)) : void();
      case 21: return t.dim() == 2 ? view(tb::t(t)) : void();
      case 22: return t.is_contiguous() ? view(tb::view(t, {t.numel()})) : void();
      default: return write(t);
    }
  }
  static std::vector<std::int64_t> rotated(std::int64_t dims) {
    std::vector<std::int64_t> all;
    for (std::int64_t d = 0; d < dims; ++d) all.push_back((d + 1) % dims);
    return all;
  }
  void view(const tensor& t) { keep(t); }
  void add(const tensor& t) { keep(tb::clamp(t, -4, 4)); }
  void keep(const tensor& t) {
    if (t.numel() > 64 || t.dim() > 5) return;
    if (all_.size() < 12)
      all_.push_back(t);
    else
      all_[1 + random_() % (all_.size() - 1)] = t;
  }
  void write(tensor t) {
    const tensor other = any();
    switch (below(12)) {
      case 8:
      case 9:
      case 10: return writes_of_one[random_() % std::size(writes_of_one)](t);
      case 0: tb::add_(t, tb::full({}, 0.5)); return;
      case 1: tb::mul_(t, tb::sigmoid(t)); return;
      case 2: tb::fill_(t, 0.75); return;
      case 3: tb::zero_(t); return;
      case 4: tb::uniform_(t); return;
      case 5: tb::sigmoid_(t); return;
      case 6: {
        tensor out = tb::empty(std::vector<std::int64_t>(t.sizes().begin(), t.sizes().end()));
        aten::tanh_out(t, out);
        return keep(out);
      }
      case 7: {
        tensor whole = tb::clone(other);
        return keep(whole);
      }
      default:
        if (std::ranges::equal(t.sizes(), other.sizes())) aten::copy_(t, tb::clone(other));
    }
  }

  std::mt19937 random_;
  std::vector<tensor> all_;
};

std::string bits(const tensor& t) {
  const tensor dense = aten::contiguous(t);
  return to_string(tb::value(tb::to(dense, tb::dtype::float64))) + to_string(t.strides());
}
std::string bits(const std::vector<tensor>& all) {
  std::string text;
  for (const tensor& t : all) text += bits(t) + "\n";
  return text;
}

// Equal sizes, dtypes and strides, and elements but for the order in which a reduction adds, which follows strides.
bool are_close(const std::vector<tensor>& found, const std::vector<tensor>& wanted) {
  return std::ranges::equal(found, wanted, [](const tensor& x, const tensor& y) {
    return x.sizes() == y.sizes() && x.dtype() == y.dtype() && x.strides() == y.strides() &&
           tb::allclose(x, y, 1e-5, 1e-6);
  });
}

}  // namespace

TEST_CASE("graphs: random programs replay to the same bits, and so do passes of them", "[graphs][random]") {
  std::size_t views = 0, writes = 0, draws = 0, made_smaller = 0;
  const auto count = static_cast<unsigned>(std::max(50.0, 500 * test_scale()));
  for (unsigned seed = 1; seed <= count; ++seed) {
    INFO("seed " << seed);
    tb::manual_seed(seed);
    const tensor x = tb::rand({2, 3}), written = tb::clone(x);
    graphs::recorder r({.inputs = {{"x", written}}});
    graph g;
    std::vector<tensor> results;
    std::string wanted;
    try {
      results = program(seed).run(written, 30);
      g = r.finish({{"a", results[0]}, {"b", results[1]}, {"c", results[2]}});
      results.push_back(written);
      wanted = bits(results);
    } catch (const graphs::graph_error& e) {
      FAIL_CHECK(e.what());
      continue;
    } catch (const tb::error&) {
      continue;  // a step that is none, as a write to elements that share memory
    }
    views +=
        std::ranges::count_if(g.nodes(), [](const graphs::node& n) { return n.op.tags().contains(tb::tag::view); });
    draws += g.draws().size();
    for (const graphs::storage_value& s : g.storages()) writes += s.writes;
    const auto outcome = [&](const graph& changed) {
      const tensor input = tb::clone(x);
      std::vector<tensor> all = graphs::replay(changed, {input});
      all.push_back(input);
      return all;
    };
    CHECK(bits(outcome(g)) == wanted);
    const graph merged = graphs::merge_common_calls(g).graph, smaller = graphs::remove_dead_code(merged).graph;
    made_smaller += smaller.nodes().size() < g.nodes().size();
    CHECK(bits(outcome(merged)) == wanted);
    CHECK(bits(outcome(smaller)) == wanted);
    const graphs::pass_result pure = graphs::functionalize(g);
    CHECK(are_close(outcome(pure.graph), results));
    CHECK(are_close(outcome(graphs::remove_dead_code(graphs::merge_common_calls(pure.graph).graph).graph), results));
    // Only what was written from outside is written, at the end, and copies that nothing else has.
    for (const graphs::node& n : pure.graph.nodes()) {
      for (std::size_t a = 0; a < n.op.argument_count(); ++a) {
        if (!graph::writes(n, a)) continue;
        const graphs::tensor_value& t = pure.graph.tensors()[pure.graph.arguments(n)[a].index];
        const bool is_copy = t.from == graphs::source::node && pure.graph.nodes()[t.maker].op.name() == "aten::clone";
        CHECK((is_copy || (t.from == graphs::source::input && n.op.name() == "aten::copy_")));
      }
      if (n.op.tags().contains(tb::tag::view)) CHECK(n.op.name() == "aten::as_strided");
    }
  }
  CHECK(views > count);
  CHECK(writes > count);
  CHECK(draws > count / 2);
  CHECK(made_smaller > count / 2);
}
