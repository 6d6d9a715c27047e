#include <catch2/catch_test_macros.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "support/leaf.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace key = topbit::key;
namespace aten = topbit::aten;
using support::leaf;
using support::tensor_of;
using support::values;
using tb::tensor;
using toy::text_of;
using list = std::vector<double>;

namespace {

// Operators of a third party, with schemas that say what they write and what is a view, served by the boxed kernel.
inline constexpr tb::op<"writes::fill_seven_(Tensor(a!) self) -> Tensor(a!)"> fill_seven_;
tensor& fill_seven_cpu(tensor& self) {
  support::each_index(self.sizes(), [&](const tb::shape& i) { support::set(self, i, 7); });
  return self;
}
inline constexpr tb::op<"writes::first(Tensor(a) self) -> Tensor(a)"> first;
tensor first_cpu(const tensor& self) {
  return tb::author::make_view(self, {1}, {1}, tb::author::record_of(self).offset);
}
inline constexpr tb::op<"writes::halves(Tensor(a) self) -> (Tensor(a), Tensor(a))"> halves;
std::tuple<tensor, tensor> halves_cpu(const tensor& self) {
  return {tb::author::make_view(self, {1}, {1}, 0), tb::author::make_view(self, {1}, {1}, 1)};
}
inline constexpr tb::op<"writes::twice(Tensor self) -> Tensor"> twice;
tensor twice_cpu(const tensor& self) { return self * 2; }

const auto kernels = tb::library("writes")
                         .def(fill_seven_)
                         .impl<&fill_seven_cpu>(fill_seven_, key::CPU)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(fill_seven_, key::ADInplaceOrView)
                         .def(first)
                         .impl<&first_cpu>(first, key::CPU)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(first, key::ADInplaceOrView)
                         .def(halves)
                         .impl<&halves_cpu>(halves, key::CPU)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(halves, key::ADInplaceOrView)
                         .def(twice)
                         .impl<&twice_cpu>(twice, key::CPU)
                         .impl_boxed<&tb::author::count_writes_and_track_views>(twice, key::ADInplaceOrView);
}  // namespace

TEST_CASE("writes: the boxed kernel counts a write, without a gradient mode too, and names the writer",
          "[autograd][writes]") {
  tensor t = tensor_of({1, 2}, {2});
  fill_seven_(t);
  CHECK(values(t) == list{7, 7});
  CHECK(t.version() == 1);
  {
    const tb::no_grad guard;
    fill_seven_(t);
  }
  CHECK(t.version() == 2);
  const tensor x = leaf({1, 2});
  const tensor y = aten::sum(x * t);
  {
    const tb::no_grad guard;
    fill_seven_(t);
  }
  CHECK(text_of<tb::error>([&] { tb::backward(y); }).find("was written in place by writes::fill_seven_:") !=
        std::string::npos);
}

TEST_CASE("writes: the boxed kernel tracks a view, and several of one call", "[autograd][writes]") {
  const tensor t = tensor_of({1, 2}, {2});
  const tensor view = first(t);
  CHECK(tb::base_of(view).same_as(t));
  auto [left, right] = halves(t);
  CHECK(tb::base_of(right).same_as(t));
  const tensor w = leaf({3});
  CHECK(text_of<tb::error>([&] { aten::mul_Tensor_(left, w); }) ==
        "aten::mul_.Tensor: writes in place to one of several views of one call, which autograd cannot track; make "
        "this view by a separate call, or write to a clone");
  tensor alone = first(t);
  aten::mul_Tensor_(alone, w);
  tb::backward(aten::sum(t));
  CHECK(values(tb::leaf_grad(w)) == list{1});
}

TEST_CASE("writes: a result with its own elements is not a view", "[autograd][writes]") {
  CHECK_FALSE(tb::is_view(twice(tensor_of({1, 2}, {2}))));
}
