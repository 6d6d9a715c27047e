// Random programs of operators, views and writes, mapped by vmap, against a loop over the examples.
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "duals.h"
#include "support/scale.h"
import topbit;
import topbit.transform;

namespace tb = topbit;
using tb::tensor;

namespace {

// A function of two tensors, [3] and [2, 3], and of what it captures. What it does depends on the seed and on the sizes
// of one example.
class program {
 public:
  explicit program(unsigned seed) : random_(seed) {}

  std::vector<tensor> operator()(const tensor& x, const tensor& y, const tensor& shared) {
    all_ = {{x, true}, {y, true}, {shared, false}};
    for (int i = 0; i < 10; ++i) step();
    std::vector<tensor> values;
    for (const variable& v : all_) values.push_back(v.value);
    return values;
  }
  const std::string& text() const noexcept { return text_; }

 private:
  struct variable {
    tensor value;
    bool written;  // may be
  };

  std::size_t pick(std::size_t n) { return random_() % n; }
  void keep(std::string_view what, tensor value, bool written = true) {
    text_ += std::string(what) + " " + tb::to_string(value.sizes()) + "; ";
    all_.push_back({std::move(value), written});
  }
  static bool broadcasts(const tensor& from, const tensor& to) {
    if (from.dim() > to.dim()) return false;
    for (std::int64_t i = 1; i <= from.dim(); ++i) {
      if (from.size(-i) != 1 && from.size(-i) != to.size(-i)) return false;
    }
    return true;
  }

  void step() {
    const std::size_t i = pick(all_.size());
    const tensor a = all_[i].value, b = all_[pick(all_.size())].value;
    switch (pick(6)) {
      case 0: return one(a);
      case 1: return two(a, b);
      case 2:
      case 3: return view(a, all_[i].written);
      default:
        if (all_[i].written) write(a, b);
    }
  }

  void one(const tensor& a) {
    switch (pick(8)) {
      case 0: return keep("tanh", tb::tanh(a));
      case 1: return keep("abs", tb::abs(a) - 0.5);
      case 2: return keep("clone", tb::clone(a));
      case 3: return keep("zeros", tb::zeros(a.sizes(), tb::arg<"dtype"> = tb::dtype::float64));
      case 4: return keep("softmax", a.dim() == 0 ? tb::sigmoid(a) : tb::softmax(a, -1));
      case 5: return keep("sum", a.dim() == 0 ? tb::sum(a) : tb::sum(a, {0}) * 0.5);
      case 6: return keep("sorted", a.dim() == 0 ? tb::exp(-tb::abs(a)) : tb::gather(a, -1, tb::argsort(a, -1)));
      default: return keep("cumsum", a.dim() == 0 ? a * 0.5 : tb::cumsum(a, 0) * 0.5);
    }
  }

  void two(const tensor& a, const tensor& b) {
    if (!broadcasts(b, a)) return;
    switch (pick(6)) {
      case 0: return keep("add", a + b);
      case 1: return keep("mul", a * b);
      case 2: return keep("where", tb::where(a > b, a, b * 0.5));
      case 3: return keep("masked", tb::masked_fill(a, b > 0, 0.25));
      case 4:
        if (a.sizes() == b.sizes()) keep("stack", tb::stack({a, b}, 0));
        return;
      default:
        if (a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(1)) keep("mm", tb::tanh(tb::mm(a, tb::t(b))));
    }
  }

  void view(const tensor& a, bool written) {
    if (a.dim() == 0) return keep("unsqueeze", tb::unsqueeze(a, 0), written);
    switch (pick(7)) {
      case 0: return keep("select", tb::select(a, 0, -1), written);
      case 1: return keep("slice", tb::slice(a, -1, 0, 2), written);
      case 2: return keep("step", tb::slice(a, 0, 0, a.size(0), 2), written);
      case 3: return keep("transpose", tb::transpose(a, 0, -1), written);
      case 4: return keep("unsqueeze", tb::unsqueeze(a, -1), written);
      case 5: return keep("flatten", tb::reshape(a, {a.numel()}), written);
      default:
        if (a.dim() == 2) keep("diagonal", tb::diagonal(a), written);
    }
  }

  void write(tensor a, const tensor& b) {
    text_ += "write " + tb::to_string(a.sizes()) + "; ";
    switch (pick(5)) {
      case 0: tb::fill_(a, 0.5); return;
      case 1: tb::mul_(a, 0.5); return;
      case 2: tb::masked_fill_(a, a > 0.25, 0.125); return;
      case 3:
        if (broadcasts(b, a)) tb::copy_(a, tb::clone(b));
        return;
      default:
        if (broadcasts(b, a)) tb::add_(a, tb::tanh(b));
    }
  }

  std::mt19937 random_;
  std::vector<variable> all_;
  std::string text_;
};

struct inputs {
  tensor x, y, shared;
  explicit inputs(std::vector<std::int64_t> batch) : shared(duals::random({3}, 3)) {
    std::vector<std::int64_t> of_x = batch, of_y = batch;
    of_x.push_back(3);
    of_y.insert(of_y.end(), {2, 3});
    x = duals::random(of_x, 1);
    y = duals::random(of_y, 2);
  }
};

// The results of each example, stacked.
template <class F>
std::vector<tensor> looped(const F& f, const tensor& x, const tensor& y) {
  std::vector<std::vector<tensor>> by_result;
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    const std::vector<tensor> of_example = f(tb::select(x, 0, i), tb::select(y, 0, i));
    by_result.resize(of_example.size());
    // Before the next example can write what is shared.
    for (std::size_t r = 0; r < of_example.size(); ++r) by_result[r].push_back(tb::clone(of_example[r]));
  }
  std::vector<tensor> all;
  for (const std::vector<tensor>& examples : by_result) all.push_back(tb::stack(examples, 0));
  return all;
}

}  // namespace

TEST_CASE("vmap: random programs with views and writes", "[transform][programs]") {
  int compared = 0, refused = 0;
  for (unsigned seed = 1; seed <= static_cast<unsigned>(scaled(1500, 50)); ++seed) {
    const bool nested = seed % 4 == 0;
    const std::vector<std::int64_t> batch = nested ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{3};
    const inputs of_loop(batch), of_vmap(batch);
    const auto one = [&](const tensor& shared) {
      return [seed, shared](const tensor& x, const tensor& y) { return program(seed)(x, y, shared); };
    };
    const auto loop = one(of_loop.shared);
    const std::vector<tensor> wanted =
        nested ? looped([&](const tensor& x, const tensor& y) { return looped(loop, x, y); }, of_loop.x, of_loop.y)
               : looped(loop, of_loop.x, of_loop.y);
    program described(seed);
    const inputs again({});
    described(again.x, again.y, again.shared);
    INFO("seed " << seed << ": " << described.text());
    const auto mapped = tb::vmap(one(of_vmap.shared));
    std::vector<tensor> found;
    try {
      found = nested ? tb::vmap([&](const tensor& x, const tensor& y) { return mapped(x, y); })(of_vmap.x, of_vmap.y)
                     : mapped(of_vmap.x, of_vmap.y);
    } catch (const tb::error& e) {
      INFO(e.what());
      CHECK(std::string(e.what()).find("is one tensor for all examples") != std::string::npos);
      ++refused;
      continue;
    }
    ++compared;
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      INFO("variable " << i);
      CHECK(duals::close(found[i], wanted[i]));
    }
    // What was written to the arguments.
    CHECK(duals::close(of_vmap.x, of_loop.x));
    CHECK(duals::close(of_vmap.y, of_loop.y));
  }
  CHECK(refused < compared / 4);
}
