// Who declares a gradient: a third party's operators, one for each way to do it or to forget it.
#include <algorithm>
#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/places.h"
#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
using tb::alias_declaration;
using tb::declaration_of;
using tb::gradient_declaration;
using tb::gradient_defect;
using tb::tensor;
using toy::text_of;
using toy::without_places;

namespace declared_ops {

struct negative_rule {
  static negative_rule save(const tensor&, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {g * -1}; }
};

inline constexpr tb::op<"declared::ruled(Tensor self) -> Tensor"> ruled;
inline constexpr tb::op<"declared::only_cpu(Tensor self) -> Tensor"> only_cpu;
inline constexpr tb::op<"declared::constant(Tensor self) -> Tensor"> constant;
inline constexpr tb::op<"declared::parts(Tensor self) -> Tensor"> parts;
inline constexpr tb::op<"declared::shadowed(Tensor self) -> Tensor"> shadowed;
inline constexpr tb::op<"declared::forgotten(Tensor self) -> Tensor"> forgotten;
inline constexpr tb::op<"declared::twofold(Tensor self) -> Tensor"> twofold;
inline constexpr tb::op<"declared::number(int n) -> int"> number;
inline constexpr tb::op<"declared::of_list(Tensor?[] xs) -> Tensor"> of_list;
inline constexpr tb::op<"declared::bare", tensor(const tensor&)> bare;
inline constexpr tb::op<"declared::bare_write", void(tensor&)> bare_write;
tensor copied(const tensor& self) { return tb::detach(self) * -1; }
std::int64_t same_number(std::int64_t n) { return n; }
tensor of_list_cpu(std::span<const std::optional<tensor>>) { return {}; }
void nothing_written(tensor&) {}

inline constexpr tb::op<"declared::negate_(Tensor(a!) self) -> Tensor(a!)"> negate_;
inline constexpr tb::op<"declared::refusing_(Tensor(a!) self) -> Tensor(a!)"> refusing_;
inline constexpr tb::op<"declared::uncounted_(Tensor(a!) self) -> Tensor(a!)"> uncounted_;
inline constexpr tb::op<"declared::silent_(Tensor(a!) self) -> Tensor(a!)"> silent_;
inline constexpr tb::op<"declared::parts_(Tensor(a!) self) -> Tensor(a!)"> parts_;
inline constexpr tb::op<"declared::declined_(Tensor(a!) self) -> Tensor(a!)"> declined_;
inline constexpr tb::op<"declared::forgotten_(Tensor(a!) self) -> Tensor(a!)"> forgotten_;
tensor& set_to_seven(tensor& self) {
  support::each_index(self.sizes(), [&](const tb::shape& i) { support::set(self, i, 7); });
  return self;
}
tensor& written(tensor& self) { return tb::aten::mul_Tensor_(self, support::tensor_of({-1}, {})); }

inline constexpr tb::op<"declared::view(Tensor(a) self) -> Tensor(a)"> view;
inline constexpr tb::op<"declared::views(Tensor(a -> *) self) -> Tensor(a)[]"> views;
inline constexpr tb::op<"declared::untracked(Tensor(a) self) -> Tensor(a)"> untracked;
inline constexpr tb::op<"declared::detached(Tensor(a) self) -> Tensor(a)"> detached;
tensor alias(const tensor& self) { return tb::detach(self); }
std::vector<tensor> aliases(const tensor& self) { return {tb::detach(self)}; }

const auto kernels = tb::library("declared")
                         .def(ruled)
                         .impl<&copied>(ruled, key::CPU)
                         .impl<&tb::author::autograd_kernel<ruled, negative_rule>::run>(ruled, key::Autograd)
                         .def(only_cpu)
                         .impl<&copied>(only_cpu, key::CPU)
                         .impl<&tb::author::autograd_kernel<only_cpu, negative_rule>::run>(only_cpu, key::AutogradCPU)
                         .def(constant)
                         .impl<&copied>(constant, key::CPU)
                         .fallthrough(constant, key::Autograd)
                         .def(parts)
                         .impl<&copied>(parts)
                         .def(shadowed)
                         .impl<&copied>(shadowed)
                         .impl<&copied>(shadowed, key::CPU)
                         .def(forgotten)
                         .impl<&copied>(forgotten, key::CPU)
                         .def(twofold)
                         .impl<&copied>(twofold, key::CPU)
                         .impl<&copied>(twofold, key::CUDA)
                         .def(number)
                         .impl<&same_number>(number, key::CompositeExplicitAutograd)
                         .def(of_list)
                         .impl<&of_list_cpu>(of_list, key::CPU)
                         .def(bare)
                         .impl<&copied>(bare, key::CPU)
                         .def(bare_write)
                         .impl<&nothing_written>(bare_write, key::CPU);
const auto writing = tb::fragment("declared")
                         .def(negate_)
                         .impl<&written>(negate_, key::CPU)
                         .impl<&tb::author::autograd_kernel<negate_, negative_rule>::run>(negate_, key::Autograd)
                         .impl<&tb::author::counts_writes<negate_>::run>(negate_, key::ADInplaceOrView)
                         .def(refusing_)
                         .impl<&written>(refusing_, key::CPU)
                         .impl<&tb::author::in_place_autograd<refusing_>::run>(refusing_, key::Autograd)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(refusing_, key::ADInplaceOrView)
                         .def(uncounted_)
                         .impl<&written>(uncounted_, key::CPU)
                         .impl<&tb::author::in_place_autograd<uncounted_>::run>(uncounted_, key::Autograd)
                         .def(silent_)
                         .impl<&set_to_seven>(silent_, key::CPU)
                         .fallthrough(silent_, key::Autograd)
                         .impl<&tb::author::counts_writes<silent_>::run>(silent_, key::ADInplaceOrView)
                         .def(parts_)
                         .impl<&written>(parts_)
                         .def(declined_)
                         .impl<&written>(declined_, key::CPU)
                         .impl<&tb::author::in_place_autograd<declined_>::run>(declined_, key::Autograd)
                         .fallthrough(declined_, key::ADInplaceOrView)
                         .def(forgotten_)
                         .impl<&written>(forgotten_, key::CPU);
const auto viewing = tb::fragment("declared")
                         .def(view)
                         .impl<&alias>(view, key::CPU)
                         .impl<&tb::author::autograd_kernel<view, negative_rule>::run>(view, key::Autograd)
                         .impl<&tb::author::tracks_view<view>::run>(view, key::ADInplaceOrView)
                         .def(views)
                         .impl<&aliases>(views, key::CPU)
                         .impl<&tb::author::tracks_view<views>::run>(views, key::ADInplaceOrView)
                         .def(untracked)
                         .impl<&alias>(untracked, key::CPU)
                         .impl<&tb::author::autograd_kernel<untracked, negative_rule>::run>(untracked, key::Autograd)
                         .def(detached)
                         .impl<&alias>(detached, key::CPU)
                         .fallthrough(detached, key::Autograd);

}  // namespace declared_ops

namespace {

tb::declared_gradient of(std::string_view op, tb::dispatch_key autograd = key::AutogradCPU) {
  return tb::declared_gradients(std::array{tb::find(op)}, autograd)[0];
}
std::vector<gradient_defect> defects_of(std::string_view op) {
  std::vector<gradient_defect> all;
  for (const tb::gradient_finding& f : of(op).findings) all.push_back(f.what);
  return all;
}
using defects = std::vector<gradient_defect>;

// What calls do: has the result a history, and whose?
bool is_recorded(std::string_view op) {
  const tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}));
  return tb::requires_grad(tb::find(op).typed<tensor(const tensor&)>()(x));
}

}  // namespace

TEST_CASE("declaration: is the kernel that serves the autograd key", "[autograd][declaration]") {
  CHECK(declaration_of(tb::find("declared::ruled")) == gradient_declaration::rule);
  CHECK(declaration_of(tb::find("declared::constant")) == gradient_declaration::none);
  CHECK(declaration_of(tb::find("declared::parts")) == gradient_declaration::composite);
  CHECK(declaration_of(tb::find("declared::forgotten")) == gradient_declaration::missing);
  CHECK(is_recorded("declared::ruled"));
  CHECK_FALSE(is_recorded("declared::constant"));
  CHECK(is_recorded("declared::forgotten"));  // by the node that raises
}

TEST_CASE("declaration: a composite beside a kernel of the backend declares nothing", "[autograd][declaration]") {
  CHECK(declaration_of(tb::find("declared::shadowed")) == gradient_declaration::missing);
  CHECK(declaration_of(tb::find("declared::shadowed"), key::AutogradCUDA) == gradient_declaration::composite);
}

TEST_CASE("declaration: is of one backend", "[autograd][declaration]") {
  CHECK(declaration_of(tb::find("declared::only_cpu")) == gradient_declaration::rule);
  CHECK(declaration_of(tb::find("declared::only_cpu"), key::AutogradCUDA) == gradient_declaration::missing);
  CHECK(text_of<tb::error>([] { declaration_of(tb::find("declared::ruled"), key::CPU); }) ==
        "declared_gradients: found the key CPU, wanted an autograd key, such as AutogradCPU");
}

TEST_CASE("declaration: a missing rule refers to the kernel of that backend", "[autograd][declaration]") {
  const unsigned cpu = of("declared::twofold").place.line, cuda = of("declared::twofold", key::AutogradCUDA).place.line;
  CHECK(cuda == cpu + 1);
  CHECK(of("declared::twofold", key::AutogradOther).place.line == cuda);  // the newest
}

TEST_CASE("declaration: an operator without tensors needs none, one with a list of them does",
          "[autograd][declaration]") {
  CHECK(declaration_of(tb::find("declared::number")) == gradient_declaration::needless);
  CHECK(defects_of("declared::number").empty());
  CHECK(declaration_of(tb::find("declared::of_list")) == gradient_declaration::missing);
}

TEST_CASE("declaration: a C++ signature is enough", "[autograd][declaration]") {
  CHECK(defects_of("declared::bare") == defects{gradient_defect::missing_rule});
  CHECK(of("declared::bare_write").writes);
  CHECK(defects_of("declared::bare_write") == defects{gradient_defect::missing_rule, gradient_defect::uncounted_write});
}

TEST_CASE("declaration: changes with what is registered", "[autograd][declaration]") {
  using namespace declared_ops;
  {
    const auto later = tb::fragment("declared").fallthrough(forgotten, key::Autograd);
    CHECK(declaration_of(forgotten.handle()) == gradient_declaration::none);
  }
  CHECK(declaration_of(forgotten.handle()) == gradient_declaration::missing);
}

TEST_CASE("declaration: an in-place operator is counted, or reported as uncounted", "[autograd][declaration]") {
  for (const char* good : {"declared::negate_", "declared::refusing_"}) {
    CAPTURE(good);
    CHECK(of(good).writes);
    CHECK(of(good).aliases == alias_declaration::kernel);
    CHECK(defects_of(good).empty());
  }
  CHECK(of("declared::parts_").aliases == alias_declaration::composite);
  CHECK(defects_of("declared::parts_").empty());
  CHECK(of("declared::declined_").aliases == alias_declaration::declined);
  CHECK(defects_of("declared::declined_").empty());
  CHECK(defects_of("declared::uncounted_") == defects{gradient_defect::uncounted_write});
  CHECK(defects_of("declared::forgotten_") == defects{gradient_defect::missing_rule, gradient_defect::uncounted_write});
}

TEST_CASE("declaration: an in-place operator that skips autograd loses gradients", "[autograd][declaration]") {
  CHECK(defects_of("declared::silent_") == defects{gradient_defect::unrefused_write});
  // It is so: what is sevens now has the gradient of what it was.
  const tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}));
  tensor y = x * 3;
  declared_ops::silent_(y);
  tb::backward(tb::aten::sum(y));
  CHECK(support::values(tb::leaf_grad(x)) == std::vector<double>{3, 3});
}

TEST_CASE("declaration: a view is tracked, or reported as untracked", "[autograd][declaration]") {
  CHECK(of("declared::view").views);
  CHECK(of("declared::view").aliases == alias_declaration::kernel);
  CHECK(defects_of("declared::view").empty());
  CHECK(of("declared::views").views);
  CHECK(defects_of("declared::views") == defects{gradient_defect::missing_rule});
  CHECK(defects_of("declared::untracked") == defects{gradient_defect::untracked_view});
  CHECK(of("declared::detached").aliases == alias_declaration::needless);
  CHECK(defects_of("declared::detached").empty());
}

TEST_CASE("declaration: sentences say what to register", "[autograd][declaration]") {
  const auto sentences = [](std::string_view op) {
    std::string all;
    for (const tb::gradient_finding& f : of(op).findings) all += without_places(f.sentence) + "\n";
    return all;
  };
  CHECK(sentences("declared::forgotten") ==
        "declared::forgotten: has no gradient rule (its kernel is registered at HERE); register one for key::Autograd, "
        "or a fallthrough there if it is not differentiable\n");
  CHECK(sentences("declared::forgotten_") ==
        "declared::forgotten_: writes to an argument and has no gradient rule (its kernel is registered at HERE); "
        "register one for key::Autograd, or author::in_place_autograd to refuse tensors that require a gradient\n"
        "declared::forgotten_: writes to an argument, which is not counted; register author::counts_writes for "
        "key::ADInplaceOrView\n");
  CHECK(sentences("declared::silent_") ==
        "declared::silent_: writes to an argument and is declared not differentiable at HERE, so what it overwrites "
        "loses its gradient without a word; register author::in_place_autograd for key::Autograd\n");
  CHECK(sentences("declared::untracked") ==
        "declared::untracked: returns a view, which is not tracked; register author::tracks_view for "
        "key::ADInplaceOrView\n");
}

TEST_CASE("declaration: the table names each operator with its source location, and ends with totals",
          "[autograd][declaration]") {
  const std::array ops{tb::find("declared::constant"), tb::find("declared::forgotten_"), tb::find("declared::view"),
                       tb::find("declared::number")};
  const std::string text = without_places(to_string(tb::declared_gradients(ops)));
  CHECK(
      text.starts_with("operator              gradient  memory             registered at\n"
                       "declared::constant    none      -                  HERE\n"
                       "declared::forgotten_  missing   writes, uncounted  HERE\n"
                       "declared::view        rule      view, tracked      HERE\n"
                       "declared::number      needless  -                  HERE\n"
                       "\nfound\n  declared::forgotten_: writes to an argument and has no gradient rule"));
  CHECK(
      text.ends_with("\n\n4 operators: 1 with a rule, 1 not differentiable, 1 without tensors, 1 without a "
                     "declaration; 1 uncounted write\n"));
}

TEST_CASE("declaration: all of a registry are those that are defined, by name", "[autograd][declaration]") {
  const std::vector<tb::declared_gradient> all = tb::declared_gradients();
  CHECK(std::ranges::is_sorted(all, {}, &tb::declared_gradient::op));
  const auto mul = std::ranges::find(all, "aten::mul.Tensor", &tb::declared_gradient::op);
  REQUIRE(mul != all.end());
  CHECK(mul->gradient == gradient_declaration::rule);
  CHECK(mul->place.file.ends_with("arithmetic_gradients.cpp"));
  CHECK(all.size() == tb::registry::process().operators().size());
}

TEST_CASE("declaration: without the fallback, nothing throws", "[autograd][declaration]") {
  tb::registry r;
  const auto block = tb::library("declared", r)
                         .def(declared_ops::forgotten)
                         .impl<&declared_ops::copied>(declared_ops::forgotten, key::CPU);
  CHECK(tb::declared_gradients(r)[0].gradient == gradient_declaration::missing);
}
