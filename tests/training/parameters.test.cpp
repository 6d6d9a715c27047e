// What a network lists: names, order, what is shared, frozen, moved or switched.
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::tensor;

namespace {

tensor zeros(const tb::shape& sizes) { return tb::aten::zeros(sizes); }

struct leaf {
  tensor weight = tb::require_grad(zeros({2, 3})), bias;
  bool training = true;
  static void each_parameter(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
  }
};

struct tree {
  leaf first;
  std::vector<leaf> blocks{2};
  tensor scale = zeros({4});
  bool training = true;
  static void each_parameter(auto& self, auto&& visit) {
    visit("first", self.first);
    visit("blocks", self.blocks);
    visit("scale", self.scale);
  }
};

// Near misses.
struct no_list {
  tensor weight;
};
struct of_an_object {
  void each_parameter(auto&&) const {}
};
struct not_of_const {
  static void each_parameter(not_of_const&, auto&&) {}
};

static_assert(tb::trainable<leaf> && tb::trainable<tree> && tb::trainable<tb::nn::dropout>);
static_assert(!tb::trainable<no_list> && !tb::trainable<of_an_object> && !tb::trainable<not_of_const>);
static_assert(!tb::trainable<tensor> && !tb::trainable<std::vector<leaf>>);

std::vector<std::string> names(const auto& m) {
  std::vector<std::string> all;
  for (const auto& one : tb::named_parameters(m)) all.push_back(one.name);
  return all;
}
using strings = std::vector<std::string>;

}  // namespace

TEST_CASE("parameters: nested modules have dotted names, elements of a range numbers", "[training][parameters]") {
  CHECK(names(tree()) == strings{"first.weight", "blocks.0.weight", "blocks.1.weight", "scale"});
}

TEST_CASE("parameters: undefined tensors are left out, and a tensor listed twice appears once",
          "[training][parameters]") {
  tree t;
  t.first.bias = zeros({2});
  t.blocks[1].weight = t.first.weight;
  CHECK(names(t) == strings{"first.weight", "first.bias", "blocks.0.weight", "scale"});
  CHECK(tb::parameters(t).size() == 4);
  CHECK(tb::parameters(t)[0].same_as(t.first.weight));
  CHECK(tb::count_parameters(t) == 6 + 2 + 6 + 4);
}

TEST_CASE("parameters: a submodule can be frozen", "[training][parameters]") {
  const tree t;
  tb::set_requires_grad(t.first, false);
  CHECK_FALSE(tb::requires_grad(t.first.weight));
  CHECK(tb::requires_grad(t.blocks[0].weight));
  tb::set_requires_grad(t, true);
  CHECK(tb::requires_grad(t.first.weight));
  CHECK(tb::requires_grad(t.scale));
}

TEST_CASE("parameters: all submodules with the member are switched to training and back", "[training][parameters]") {
  tree t;
  tb::set_training(t, false);
  CHECK_FALSE((t.training || t.first.training || t.blocks[0].training || t.blocks[1].training));
  tb::set_training(t.blocks[1], true);
  CHECK(t.blocks[1].training);
  CHECK_FALSE(t.training);
}

TEST_CASE("parameters: moving a network preserves shared tensors", "[training][parameters]") {
  tree t;
  t.blocks[1].weight = t.first.weight;
  const tensor before = t.scale;
  const tb::device meta = tb::parse_device("meta");
  tb::move_to(t, tb::cpu);
  CHECK(t.scale.same_as(before));
  tb::move_to(t, meta);
  for (const tensor& p : tb::parameters(t)) CHECK(p.device() == meta);
  CHECK(names(t).size() == 3);
  CHECK(t.blocks[1].weight.same_as(t.first.weight));
  CHECK((tb::requires_grad(t.first.weight) && tb::is_leaf(t.first.weight)));
  CHECK_FALSE(tb::requires_grad(t.scale));
  CHECK(before.device() == tb::cpu);
}
