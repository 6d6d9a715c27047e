#include <catch2/catch_test_macros.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace author = topbit::author;
using support::values;
using tb::tensor;
using toy::text_of;

namespace {

struct label final : author::layer_extension {
  label(std::string t, int& count) : text(std::move(t)), alive(&count) { ++*alive; }
  ~label() override { --*alive; }
  std::string text;
  int* alive;
};
struct mark final : author::layer_extension {};

void attach_label(const tensor& t, std::string text, int& alive) {
  author::attach(t, tb::intrusive_ptr<label>(new label(std::move(text), alive)));
}

tensor floats() { return tb::from_values<float>({1, 2, 3}, {3}); }

}  // namespace

TEST_CASE("layer_facts: a tensor has one extension of each class", "[tensor][layer_facts]") {
  int alive = 0;
  {
    const tensor t = floats();
    CHECK(author::extension_of<label>(t) == nullptr);
    attach_label(t, "first", alive);
    author::attach(t, tb::intrusive_ptr<mark>(new mark));
    REQUIRE(author::extension_of<label>(t) != nullptr);
    CHECK(author::extension_of<label>(t)->text == "first");
    CHECK(author::extension_of<mark>(t) != nullptr);
    CHECK(author::extension_of<label>(author::make_alias(t)) == nullptr);
    attach_label(t, "second", alive);
    CHECK(alive == 1);
    CHECK(author::extension_of<label>(t)->text == "second");
    author::detach_extension<mark>(t);
    CHECK(author::extension_of<mark>(t) == nullptr);
    CHECK(author::extension_of<label>(t) != nullptr);
    author::detach_extension<mark>(t);
  }
  CHECK(alive == 0);
}

TEST_CASE("layer_facts: autograd records beside the extensions of other layers", "[tensor][layer_facts]") {
  int alive = 0;
  const tensor w = tb::require_grad(floats());
  attach_label(w, "weight", alive);
  CHECK(tb::requires_grad(w));
  CHECK(tb::is_leaf(w));
  tensor y = w * w;
  attach_label(y, "product", alive);
  CHECK_FALSE(tb::is_leaf(y));
  tb::mul_(y, 2);  // replaces what autograd knows of y
  CHECK(author::extension_of<label>(y)->text == "product");
  const tensor part = y[0];
  CHECK(tb::is_view(part));
  tb::backward(tb::sum(y));
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{4, 8, 12});
  author::detach_extension<label>(w);
  CHECK(tb::requires_grad(w));
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{4, 8, 12});
  author::detach_extension<label>(y);
  CHECK(alive == 0);
  CHECK_FALSE(tb::is_leaf(y));

  const tensor plain = floats();
  attach_label(plain, "becomes a leaf", alive);
  tb::require_grad(plain);
  CHECK(tb::requires_grad(plain));
  tb::require_grad(plain, false);
  CHECK_FALSE(tb::requires_grad(plain));
  CHECK(author::extension_of<label>(plain) != nullptr);
}

TEST_CASE("layer_facts: an extension is for one defined tensor", "[tensor][layer_facts]") {
  int alive = 0;
  const tensor a = floats(), b = floats();
  const tb::intrusive_ptr<label> one(new label("first", alive));
  author::attach(a, one);
  CHECK(text_of<tb::error>([&] { author::attach(b, one); }) ==
        "attach: found an extension that a tensor has, wanted one for this tensor alone");
  CHECK(text_of<tb::error>([&] { attach_label(tensor(), "none", alive); }) ==
        "attach: found an undefined tensor, wanted a defined one");
  author::detach_extension<label>(a);
  author::attach(b, one);
  CHECK(author::extension_of<label>(a) == nullptr);
  CHECK(author::extension_of<label>(b) == one.get());
}

TEST_CASE("layer_facts: an extension that is taken away keeps no graph", "[tensor][layer_facts]") {
  int alive = 0;
  const tensor y = tb::exp(tb::require_grad(floats()));
  const tb::intrusive_ptr<label> kept(new label("kept", alive));
  author::attach(y, kept);
  author::detach_extension<label>(y);
  CHECK_FALSE(kept->next);
  CHECK(tb::requires_grad(y));
}

TEST_CASE("layer_facts: a gradient in read-only memory is added to another tensor", "[tensor][layer_facts]") {
  const tensor w = tb::require_grad(floats());
  {
    const tensor g = tb::ones({3}, tb::arg<"dtype"> = tb::dtype::float32);
    author::make_read_only(g);
    tb::set_leaf_grad(w, g);
  }
  tb::backward(tb::sum(w * 2));
  CHECK(values(tb::leaf_grad(w)) == std::vector<double>{3, 3, 3});
}

TEST_CASE("layer_facts: from_blob over constants is read-only, and so are its views", "[tensor][layer_facts]") {
  const std::vector<float> numbers{1, 2, 3, 4};
  int released = 0;
  {
    tensor t = tb::from_blob(numbers.data(), {2, 2}, [&](const void* p) { released += p == numbers.data() ? 1 : 100; });
    CHECK(author::is_read_only(t));
    CHECK(author::is_read_only(t[0]));
    CHECK(author::is_read_only(tb::t(t)));
    CHECK_FALSE(author::is_read_only(tb::clone(t)));
    CHECK_FALSE(author::is_read_only(t + 1));
    CHECK(text_of<tb::error>([&] { tb::add_(t, 1); }) ==
          "aten::add_.Scalar: in aten::add_.Tensor: writes to a tensor float32 [2, 2] in read-only memory; clone() it "
          "first");
    tensor part = t[1];
    CHECK(text_of<tb::error>([&] { tb::fill_(part, 7); }).find("read-only memory") != std::string::npos);
    CHECK(t.version() == 0);
    tensor fresh = tb::clone(t);
    tb::add_(fresh, t);
    CHECK(values(fresh) == std::vector<double>{2, 4, 6, 8});
  }
  CHECK(numbers == std::vector<float>{1, 2, 3, 4});
  CHECK(released == 1);
  CHECK_FALSE(author::is_read_only(tensor()));
}

TEST_CASE("layer_facts: memory has the birth number of the thread that made it", "[tensor][layer_facts]") {
  const tensor before = floats();
  CHECK(author::set_birth_number(7) == 0);
  const tensor inside = floats(), view = before[0];
  std::thread([] { CHECK(author::birth_number(floats()) == 0); }).join();
  CHECK(author::set_birth_number(0) == 7);
  CHECK(author::birth_number(before) == 0);
  CHECK(author::birth_number(view) == 0);
  CHECK(author::birth_number(inside) == 7);
  CHECK(author::birth_number(inside[0]) == 7);
  CHECK(author::birth_number(tensor()) == 0);
}
