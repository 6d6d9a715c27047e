// Random programs with views and writes in place: their gradients are those of a naive engine that knows no tensors. It
// keeps a tape of numbers; a tensor is a list of places in a memory of numbers, so that a view is another list of the
// same places and a write puts other numbers there. Nothing of the engine under test is in it.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/scale.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::values;
using tb::tensor;

namespace {

// A number and what it was computed from, with the slopes.
struct number {
  double value = 0;
  std::vector<std::pair<std::size_t, double>> from;
};

class tape {
 public:
  std::size_t constant(double value) { return add({value, {}}); }
  std::size_t plus(std::size_t a, std::size_t b, double sign = 1) {
    return add({value(a) + sign * value(b), {{a, 1}, {b, sign}}});
  }
  std::size_t times(std::size_t a, std::size_t b) { return add({value(a) * value(b), {{a, value(b)}, {b, value(a)}}}); }
  std::size_t scaled(std::size_t a, double k) { return add({value(a) * k, {{a, k}}}); }
  std::size_t exponential(std::size_t a) { return add({std::exp(value(a)), {{a, std::exp(value(a))}}}); }
  double value(std::size_t i) const { return all_[i].value; }

  std::vector<double> gradients(std::size_t root) const {
    std::vector<double> g(all_.size(), 0);
    g[root] = 1;
    for (std::size_t i = all_.size(); i-- > 0;) {
      for (const auto& [from, slope] : all_[i].from) g[from] += g[i] * slope;
    }
    return g;
  }

 private:
  std::size_t add(number n) {
    all_.push_back(std::move(n));
    return all_.size() - 1;
  }
  std::vector<number> all_;
};

// A tensor of the naive engine: the memory, and where in it each element lies, row-major.
struct naive {
  tb::shape sizes;
  std::shared_ptr<std::vector<std::size_t>> memory;
  std::vector<std::size_t> places;

  std::size_t at(std::size_t element) const { return (*memory)[places[element]]; }
};

naive fresh(const tb::shape& sizes, std::vector<std::size_t> numbers) {
  naive n{sizes, std::make_shared<std::vector<std::size_t>>(std::move(numbers)), {}};
  for (std::size_t i = 0; i < n.memory->size(); ++i) n.places.push_back(i);
  return n;
}

std::size_t element_of(const tb::shape& sizes, const tb::shape& index) {
  std::size_t n = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    n = n * static_cast<std::size_t>(sizes[d]) + static_cast<std::size_t>(index[d]);
  return n;
}

// The element of `of` that broadcasting pairs with each element of `sizes`.
std::vector<std::size_t> broadcast_elements(const tb::shape& sizes, const naive& of) {
  std::vector<std::size_t> out;
  support::each_index(sizes, [&](const tb::shape& index) {
    out.push_back(element_of(of.sizes, support::broadcast_index(index, of.sizes)));
  });
  return out;
}

// Both engines' idea of one variable.
struct variable {
  tensor real;
  naive model;
  bool leaf = false;
};

// What a planted fault leaves out.
enum class fault { none, writes_know_no_view };

class program {
 public:
  program(unsigned seed, fault planted) : random_(seed), planted_(planted) {
    for (int i = 0; i < 3; ++i) {
      const tb::shape sizes = i == 0 ? tb::shape{3} : tb::shape{2, 3};
      std::vector<double> elements;
      std::vector<std::size_t> numbers;
      for (std::int64_t n = tb::numel(sizes); n > 0; --n) {
        elements.push_back(0.1 * static_cast<double>(pick(19)) - 0.9);
        numbers.push_back(tape_.constant(elements.back()));
      }
      variable v{support::tensor_of(elements, sizes), fresh(sizes, numbers), i < 2};
      if (v.leaf) {
        tb::require_grad(v.real);
        leaves_.push_back({v.real, numbers});
      }
      all_.push_back(std::move(v));
    }
    for (int i = 0; i < 14; ++i) step();
  }

  // Empty if the gradients agree, "refused" if a saved tensor had been written, else what differs.
  std::string compare() {
    std::size_t total = tape_.constant(0);
    tensor loss = support::tensor_of({0}, {});
    double weight = 1;
    for (const variable& v : all_) {
      if (v.leaf) continue;
      std::vector<double> weights;
      for (std::size_t e = 0; e < v.model.places.size(); ++e) {
        weights.push_back(weight = weight > 3 ? 0.3 : weight + 0.7);
        total = tape_.plus(total, tape_.scaled(v.model.at(e), weights.back()));
      }
      loss = loss + aten::sum(v.real * support::tensor_of(weights, v.model.sizes));
    }
    if (!tb::requires_grad(loss)) return "no gradient";
    try {
      tb::backward(loss);
    } catch (const tb::error& e) {
      const std::string text = e.what();
      return text.find("was written in place") != std::string::npos && writes_ > 0 ? "refused" : text;
    }
    const std::vector<double> wanted = tape_.gradients(total);
    for (const auto& [leaf, numbers] : leaves_) {
      std::vector<double> w;
      for (std::size_t n : numbers) w.push_back(wanted[n]);
      const tensor g = tb::leaf_grad(leaf);
      const std::vector<double> found = g.defined() ? values(g) : std::vector<double>(w.size(), 0);
      if (const std::string text = support::difference(found, w, 1e-9); !text.empty()) return text + log_;
    }
    for (const variable& v : all_) {
      for (std::size_t e = 0; e < v.model.places.size(); ++e) {
        const double real = values(v.real)[e], model = tape_.value(v.model.at(e));
        if (std::abs(real - model) > 1e-9 * (1 + std::abs(model))) return "values differ" + log_;
      }
    }
    return "";
  }

 private:
  std::size_t pick(std::size_t n) { return random_() % n; }
  void note(const std::string& text) { log_ += "; " + text; }

  void step() {
    const std::size_t a = pick(all_.size()), b = pick(all_.size());
    switch (pick(14)) {
      case 0: return elementwise(a, b, 0);
      case 1: return elementwise(a, b, 1);
      case 2: return elementwise(a, b, 2);
      case 3: return transpose(a);
      case 4: return select(a);
      case 5:
      case 6: return slice(a);
      case 7: return exponential(a);
      case 8: return write(a, b, 0);
      case 9: return write(a, b, 1);
      case 10: return write(a, b, 2);
      case 11: return write(a, b, 3);
      case 12: return scale_in_place(a);
      default: return reshape(a);
    }
  }

  static bool broadcasts(const tb::shape& a, const tb::shape& b) {
    for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
      const auto x = a[a.size() - i], y = b[b.size() - i];
      if (x != y && x != 1 && y != 1) return false;
    }
    return true;
  }

  void elementwise(std::size_t i, std::size_t j, int which) {
    const variable a = all_[i], b = all_[j];
    if (!broadcasts(a.model.sizes, b.model.sizes)) return;
    const tensor real = which == 0 ? a.real + b.real : which == 1 ? a.real - b.real : a.real * b.real;
    const auto of_a = broadcast_elements(real.sizes(), a.model), of_b = broadcast_elements(real.sizes(), b.model);
    std::vector<std::size_t> numbers;
    for (std::size_t e = 0; e < of_a.size(); ++e)
      numbers.push_back(combine(a.model.at(of_a[e]), b.model.at(of_b[e]), which));
    note("elementwise " + std::to_string(which) + " of " + std::to_string(i) + ", " + std::to_string(j));
    all_.push_back({real, fresh(real.sizes(), numbers)});
  }
  std::size_t combine(std::size_t a, std::size_t b, int which) {
    return which == 0 ? tape_.plus(a, b) : which == 1 ? tape_.plus(a, b, -1) : which == 2 ? tape_.times(a, b) : b;
  }
  void exponential(std::size_t i) {
    const variable a = all_[i];
    for (std::size_t e = 0; e < a.model.places.size(); ++e) {
      if (tape_.value(a.model.at(e)) > 2) return;
    }
    std::vector<std::size_t> numbers;
    for (std::size_t e = 0; e < a.model.places.size(); ++e) numbers.push_back(tape_.exponential(a.model.at(e)));
    note("exp of " + std::to_string(i));
    all_.push_back({aten::exp(a.real), fresh(a.model.sizes, numbers)});
  }

  // A view: the same memory, its elements in the order of the view's own indices.
  void add_view(const variable& a, const tensor& real, const std::vector<std::size_t>& elements) {
    naive model{real.sizes(), a.model.memory, {}};
    for (std::size_t e : elements) model.places.push_back(a.model.places[e]);
    all_.push_back({real, model});
  }
  void transpose(std::size_t i) {
    const variable a = all_[i];
    if (a.model.sizes.size() != 2) return;
    std::vector<std::size_t> elements;
    for (std::int64_t c = 0; c < a.model.sizes[1]; ++c) {
      for (std::int64_t r = 0; r < a.model.sizes[0]; ++r) elements.push_back(element_of(a.model.sizes, {r, c}));
    }
    note("transpose of " + std::to_string(i));
    add_view(a, aten::transpose_int(a.real, 0, 1), elements);
  }
  void select(std::size_t i) {
    const variable a = all_[i];
    if (a.model.sizes.empty()) return;
    const auto at = static_cast<std::int64_t>(pick(static_cast<std::size_t>(a.model.sizes[0])));
    const std::size_t each = a.model.places.size() / static_cast<std::size_t>(a.model.sizes[0]);
    std::vector<std::size_t> elements;
    for (std::size_t e = 0; e < each; ++e) elements.push_back(static_cast<std::size_t>(at) * each + e);
    note("select of " + std::to_string(i));
    add_view(a, aten::select_int(a.real, 0, at), elements);
  }
  void slice(std::size_t i) {
    const variable a = all_[i];
    if (a.model.sizes.empty() || a.model.sizes[a.model.sizes.size() - 1] < 2) return;
    const auto last = static_cast<std::int64_t>(a.model.sizes.size()) - 1;
    const std::int64_t n = a.model.sizes[static_cast<std::size_t>(last)], from = static_cast<std::int64_t>(pick(2));
    std::vector<std::size_t> elements;
    support::each_index(a.model.sizes, [&](const tb::shape& index) {
      if (index[static_cast<std::size_t>(last)] >= from && index[static_cast<std::size_t>(last)] < from + n - 1)
        elements.push_back(element_of(a.model.sizes, index));
    });
    note("slice of " + std::to_string(i));
    add_view(a, aten::slice_Tensor(a.real, last, from, from + n - 1, 1), elements);
  }
  void reshape(std::size_t i) {
    const variable a = all_[i];
    if (!a.real.is_contiguous()) return;
    std::vector<std::size_t> elements;
    for (std::size_t e = 0; e < a.model.places.size(); ++e) elements.push_back(e);
    const std::vector<std::int64_t> sizes{a.real.numel()};
    note("view of " + std::to_string(i));
    add_view(a, aten::view(a.real, sizes), elements);
  }

  bool can_write(const variable& a) const {
    return !a.leaf &&
           std::ranges::none_of(all_, [&](const variable& v) { return v.leaf && v.model.memory == a.model.memory; });
  }
  // add_, sub_, mul_, copy_
  void write(std::size_t i, std::size_t j, int which) {
    variable a = all_[i];
    const variable b = all_[j];
    if (!can_write(a) || !broadcasts(a.model.sizes, b.model.sizes) || b.model.sizes.size() > a.model.sizes.size())
      return;
    for (std::size_t d = 1; d <= b.model.sizes.size(); ++d) {
      if (b.model.sizes[b.model.sizes.size() - d] > a.model.sizes[a.model.sizes.size() - d]) return;
    }
    const auto of_b = broadcast_elements(a.model.sizes, b.model);
    std::vector<std::size_t> numbers;
    for (std::size_t e = 0; e < of_b.size(); ++e) numbers.push_back(combine(a.model.at(e), b.model.at(of_b[e]), which));
    for (std::size_t e = 0; e < numbers.size(); ++e) (*a.model.memory)[a.model.places[e]] = numbers[e];
    note("write " + std::to_string(which) + " of " + std::to_string(j) + " to " + std::to_string(i));
    ++writes_;
    tensor target = planted_ == fault::writes_know_no_view ? forgotten(a.real) : a.real;
    switch (which) {
      case 0: aten::add_Tensor_(target, b.real); break;
      case 1: aten::sub_Tensor_(target, b.real); break;
      case 2: aten::mul_Tensor_(target, b.real); break;
      default: aten::copy_(target, b.real); break;
    }
  }
  void scale_in_place(std::size_t i) {
    variable a = all_[i];
    if (!can_write(a)) return;
    for (std::size_t e = 0; e < a.model.places.size(); ++e) {
      std::size_t& n = (*a.model.memory)[a.model.places[e]];
      n = tape_.scaled(n, -0.5);
    }
    note("scale " + std::to_string(i));
    ++writes_;
    aten::mul_Scalar_(a.real, -0.5);
  }
  // The same elements with a history of their own, as if nobody had tracked the view.
  static tensor forgotten(const tensor& t) {
    tensor alone = tb::detach(t);
    if (auto edge = tb::author::gradient_edge(t)) tb::author::set_creator(alone, std::move(edge));
    return alone;
  }

  std::mt19937 random_;
  fault planted_;
  tape tape_;
  std::vector<variable> all_;
  std::vector<std::pair<tensor, std::vector<std::size_t>>> leaves_;
  int writes_ = 0;
  std::string log_;
};

struct outcome {
  int agreed = 0, refused = 0, wrong = 0;
  std::string first;
};
outcome run_programs(unsigned count, fault planted = fault::none) {
  outcome all;
  for (unsigned seed = 1; seed <= count; ++seed) {
    const std::string text = program(seed, planted).compare();
    if (text.empty() || text == "no gradient") {
      ++all.agreed;
    } else if (text == "refused") {
      ++all.refused;
    } else if (all.wrong++ == 0) {
      all.first = "program " + std::to_string(seed) + ": " + text;
    }
  }
  return all;
}

// A rule with a wrong sign, in the place of sub's.
struct wrong_rule {
  static wrong_rule save(const tensor&, const tensor&, const tb::scalar&, const tensor&) { return {}; }
  std::array<tensor, 2> backward(const tensor& g, std::array<bool, 2>) const { return {g, g}; }
};

}  // namespace

TEST_CASE("programs: gradients through views and in-place writes agree with a naive engine", "[autograd][programs]") {
  const outcome found = run_programs(static_cast<unsigned>(scaled(2000)));
  INFO(found.first);
  CHECK(found.wrong == 0);
  CHECK(found.agreed > scaled(1000));
  CHECK(found.refused > scaled(200));
}

TEST_CASE("programs: a missed view update is detected", "[autograd][programs]") {
  CHECK(run_programs(200, fault::writes_know_no_view).wrong > 0);
}

TEST_CASE("programs: a rule with a wrong sign is detected", "[autograd][programs]") {
  const auto planted = tb::implement("aten", key::AutogradCPU)
                           .impl<&tb::author::autograd_kernel<aten::sub_Tensor, wrong_rule>::run>(aten::sub_Tensor);
  CHECK(run_programs(100).wrong > 0);
}
