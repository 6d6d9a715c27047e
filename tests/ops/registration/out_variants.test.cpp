// Forms that write, and forms with a number, of operators whose other forms are tested elsewhere: they give what those
// give, into memory of any order and gaps, whatever dtype can hold it, and refuse what they cannot write.
#include <catch2/catch_test_macros.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::shape;
using tb::tensor;
using list = std::vector<double>;

namespace {

struct form {
  std::string name;
  std::function<tensor(const tensor&, const tensor&)> functional;
  std::function<tensor&(const tensor&, const tensor&, tensor&)> written;
};

#define FORM(name, call, call_out)                                                                                 \
  form {                                                                                                           \
    name, []([[maybe_unused]] const tensor& a, [[maybe_unused]] const tensor& b) -> tensor { return aten::call; }, \
        []([[maybe_unused]] const tensor& a, [[maybe_unused]] const tensor& b, tensor& out) -> tensor& {           \
          return aten::call_out;                                                                                   \
        }                                                                                                          \
  }

// Of two operands of one size that hold numbers; those that need them whole take them as integers.
std::vector<form> of_numbers() {
  return {
      FORM("eq.Scalar_out", eq_Scalar(a, 1), eq_Scalar_out(a, 1, out)),
      FORM("ne.Scalar_out", ne_Scalar(a, 1), ne_Scalar_out(a, 1, out)),
      FORM("lt.Scalar_out", lt_Scalar(a, 1), lt_Scalar_out(a, 1, out)),
      FORM("le.Scalar_out", le_Scalar(a, 1), le_Scalar_out(a, 1, out)),
      FORM("gt.Scalar_out", gt_Scalar(a, 1), gt_Scalar_out(a, 1, out)),
      FORM("ge.Scalar_out", ge_Scalar(a, 1), ge_Scalar_out(a, 1, out)),
      FORM("isin.Tensor_Scalar_out", isin_Tensor_Scalar(a, 1, false, true),
           isin_Tensor_Scalar_out(a, 1, false, true, out)),
      FORM("clamp.Tensor_out", clamp_Tensor(a, b, std::nullopt), clamp_Tensor_out(a, b, std::nullopt, out)),
      FORM("clamp_min.out", clamp_min(a, 1), clamp_min_out(a, 1, out)),
      FORM("clamp_max.out", clamp_max(a, 1), clamp_max_out(a, 1, out)),
      FORM("clamp_min.Tensor_out", clamp_min_Tensor(a, b), clamp_min_Tensor_out(a, b, out)),
      FORM("clamp_max.Tensor_out", clamp_max_Tensor(a, b), clamp_max_Tensor_out(a, b, out)),
      FORM("hardtanh.out", hardtanh(a, -1, 2), hardtanh_out(a, -1, 2, out)),
      FORM("threshold.out", threshold(a, 1, 3), threshold_out(a, 1, 3, out)),
      FORM("diff.out", diff(a, 0, 0, std::nullopt, std::nullopt), diff_out(a, 0, 0, std::nullopt, std::nullopt, out)),
      FORM("fmod.Scalar_out", fmod_Scalar(a, 2), fmod_Scalar_out(a, 2, out)),
      FORM("remainder.Scalar_out", remainder_Scalar(a, 2), remainder_Scalar_out(a, 2, out)),
      FORM("pow.Tensor_Scalar_out", pow_Tensor_Scalar(a, 2), pow_Tensor_Scalar_out(a, 2, out)),
      FORM("pow.Scalar_out", pow_Scalar(2, aten::abs(a)), pow_Scalar_out(2, aten::abs(a), out)),
      FORM("copysign.Scalar_out", copysign_Scalar(a, -1), copysign_Scalar_out(a, -1, out)),
      FORM("xlogy.OutScalar_Other", xlogy_Scalar_Other(a, 2), xlogy_OutScalar_Other(a, 2, out)),
      FORM("xlogy.OutScalar_Self", xlogy_Scalar_Self(2, aten::abs(a)), xlogy_OutScalar_Self(2, aten::abs(a), out)),
      FORM("threshold_backward.grad_input", threshold_backward(a, b, 1), threshold_backward_grad_input(a, b, 1, out)),
      FORM("hstack.out", hstack(std::vector<tensor>{a, b}), hstack_out(std::vector<tensor>{a, b}, out)),
      FORM("vstack.out", vstack(std::vector<tensor>{a, b}), vstack_out(std::vector<tensor>{a, b}, out)),
      FORM("dstack.out", dstack(std::vector<tensor>{a, b}), dstack_out(std::vector<tensor>{a, b}, out)),
      FORM("column_stack.out", column_stack(std::vector<tensor>{a, b}),
           column_stack_out(std::vector<tensor>{a, b}, out)),
      FORM("searchsorted.Tensor_out", searchsorted_Tensor(tensor_of({-1, 0, 2}, {3}, a.dtype()), a),
           searchsorted_Tensor_out(tensor_of({-1, 0, 2}, {3}, a.dtype()), a, false, false, std::nullopt, std::nullopt,
                                   out)),
      FORM("bucketize.Tensor_out", bucketize_Tensor(a, tensor_of({-1, 0, 2}, {3}, a.dtype())),
           bucketize_Tensor_out(a, tensor_of({-1, 0, 2}, {3}, a.dtype()), false, false, out)),
  };
}

std::vector<form> of_reals() {
  return {
      FORM("lerp.Scalar_out", lerp_Scalar(a, b, 0.25), lerp_Scalar_out(a, b, 0.25, out)),
      FORM("hardshrink.out", hardshrink(a, 1), hardshrink_out(a, 1, out)),
      FORM("softshrink.out", softshrink(a, 1), softshrink_out(a, 1, out)),
      FORM("glu.out", glu(a, 0), glu_out(a, 0, out)),
      FORM("softmax.int_out", softmax_int(a, 1), softmax_int_out(a, 1, std::nullopt, out)),
      FORM("log_softmax.int_out", log_softmax_int(a, 1), log_softmax_int_out(a, 1, std::nullopt, out)),
      FORM("mse_loss.out", mse_loss(a, b, 0), mse_loss_out(a, b, 0, out)),
      FORM("smooth_l1_loss.out", smooth_l1_loss(a, b, 2), smooth_l1_loss_out(a, b, 2, 1.0, out)),
      FORM("huber_loss.out", huber_loss(a, b, 1), huber_loss_out(a, b, 1, 1.0, out)),
      FORM("soft_margin_loss.out", soft_margin_loss(a, b, 0), soft_margin_loss_out(a, b, 0, out)),
      FORM("binary_cross_entropy.out", binary_cross_entropy(aten::sigmoid(a), aten::sigmoid(b), std::nullopt, 0),
           binary_cross_entropy_out(aten::sigmoid(a), aten::sigmoid(b), std::nullopt, 0, out)),
      FORM("nll_loss.out", nll_loss(a, tensor_of({0, 2}, {2}, dtype::int64), std::nullopt, 0),
           nll_loss_out(a, tensor_of({0, 2}, {2}, dtype::int64), std::nullopt, 0, -100, out)),
      FORM("nll_loss2d.out",
           nll_loss2d(aten::reshape(a, shape{1, 3, 2, 1}), tensor_of({0, 2}, {1, 2, 1}, dtype::int64), std::nullopt, 0),
           nll_loss2d_out(aten::reshape(a, shape{1, 3, 2, 1}), tensor_of({0, 2}, {1, 2, 1}, dtype::int64), std::nullopt,
                          0, -100, out)),
      FORM("adaptive_avg_pool2d.out", adaptive_avg_pool2d(aten::unsqueeze(a, 0), shape{1, 2}),
           adaptive_avg_pool2d_out(aten::unsqueeze(a, 0), shape{1, 2}, out)),
      FORM("take_along_dim.out", take_along_dim(a, tensor_of({1, 0, 0}, {1, 3}, dtype::int64), 0),
           take_along_dim_out(a, tensor_of({1, 0, 0}, {1, 3}, dtype::int64), 0, out)),
      FORM("upsample_nearest2d.out", upsample_nearest2d(aten::reshape(a, shape{1, 1, 2, 3}), shape{4, 4}),
           upsample_nearest2d_out(aten::reshape(a, shape{1, 1, 2, 3}), shape{4, 4}, std::nullopt, std::nullopt, out)),
  };
}

std::vector<form> of_integers() {
  return {
      FORM("bitwise_and.Scalar_out", bitwise_and_Scalar(a, 6), bitwise_and_Scalar_out(a, 6, out)),
      FORM("bitwise_or.Scalar_out", bitwise_or_Scalar(a, 6), bitwise_or_Scalar_out(a, 6, out)),
      FORM("bitwise_xor.Scalar_out", bitwise_xor_Scalar(a, 6), bitwise_xor_Scalar_out(a, 6, out)),
      FORM("bitwise_left_shift.Tensor_Scalar_out", bitwise_left_shift_Tensor_Scalar(a, 2),
           bitwise_left_shift_Tensor_Scalar_out(a, 2, out)),
      FORM("bitwise_right_shift.Tensor_Scalar_out", bitwise_right_shift_Tensor_Scalar(a, 1),
           bitwise_right_shift_Tensor_Scalar_out(a, 1, out)),
      // A number in front is the number behind of what commutes, and a tensor full of it of what does not.
      FORM("bitwise_and.Scalar_Tensor", bitwise_and_Scalar_Tensor(6, a), bitwise_and_Scalar_out(a, 6, out)),
      FORM("bitwise_or.Scalar_Tensor", bitwise_or_Scalar_Tensor(6, a), bitwise_or_Scalar_out(a, 6, out)),
      FORM("bitwise_xor.Scalar_Tensor", bitwise_xor_Scalar_Tensor(6, a), bitwise_xor_Scalar_out(a, 6, out)),
      FORM("bitwise_left_shift.Scalar_Tensor", bitwise_left_shift_Scalar_Tensor(6, aten::abs(a)),
           bitwise_left_shift_Tensor_out(aten::full_like(a, 6), aten::abs(a), out)),
      FORM("bitwise_right_shift.Scalar_Tensor", bitwise_right_shift_Scalar_Tensor(6, aten::abs(a)),
           bitwise_right_shift_Tensor_out(aten::full_like(a, 6), aten::abs(a), out)),
  };
}

#undef FORM

dtype wider(dtype t) {
  return t == dtype::boolean || tb::is_floating(t) ? (t == dtype::boolean ? t : dtype::float64) : dtype::int64;
}

void check(const form& f, dtype type, support::numbers& source) {
  for (support::arrangement how : support::arrangements) {
    INFO(f.name << " " << tb::name_of(type) << " " << support::name_of(how));
    const tensor a = source.tensor({2, 3}, type, how), b = source.tensor({2, 3}, type, how);
    const tensor wanted = f.functional(a, b);
    for (support::arrangement to :
         {support::arrangement::dense, support::arrangement::transposed, support::arrangement::sliced}) {
      for (dtype kind : {wanted.dtype(), wider(wanted.dtype())}) {
        tensor out = support::arranged(wanted.sizes(), kind, to);
        CHECK(&f.written(a, b, out) == &out);
        CHECK(support::difference(values(out), values(wanted), support::tolerance_of(wanted.dtype())) == "");
      }
    }
    shape other = wanted.sizes();
    other.push_back(2);
    tensor out = support::arranged(other, wanted.dtype(), support::arrangement::dense);
    const list before = values(out);
    CHECK_THROWS_AS(f.written(a, b, out), tb::shape_error);
    CHECK(support::difference(values(out), before, 0) == "");
    const auto there = [](const tensor& t) { return tb::author::make_tensor(t.sizes(), t.dtype(), tb::meta); };
    tensor result = there(wanted);
    if (f.name.starts_with("nll") || f.name.starts_with("take") || f.name.starts_with("searchsorted") ||
        f.name.starts_with("bucketize")) {
      continue;  // they bring a tensor of the host with them
    }
    f.written(there(a), there(b), result);
    CHECK(result.sizes() == wanted.sizes());
  }
}

}  // namespace

TEST_CASE("out variants: an out form agrees with the functional form", "[ops][written][property]") {
  support::numbers source(101);
  for (dtype type : tb::all_dtypes) {
    if (type == dtype::boolean) continue;
    for (const form& f : of_numbers()) check(f, type, source);
    for (const form& f : tb::is_floating(type) ? of_reals() : of_integers()) check(f, type, source);
  }
}

TEST_CASE("out variants: errors are detected before anything is written", "[ops][written]") {
  tensor out = tensor_of({7, 7}, {2});
  const tensor x = tensor_of({1, 2}, {2}, dtype::int32);
  CHECK_THROWS_AS(aten::pow_Tensor_Scalar_out(x, -1, out), tb::error);
  CHECK_THROWS_AS(aten::mse_loss_out(out, tensor_of({1, 2, 3}, {3}), 0, out), tb::shape_error);
  CHECK(toy::text_of<tb::error>([&] { aten::softshrink_out(out, -1, out); }) ==
        "aten::softshrink.out: found lambd -1, wanted at least 0");
  CHECK(values(out) == list{7, 7});
}

TEST_CASE("out variants: threshold_ writes self, and copy keeps its dtype and sizes", "[ops][written]") {
  tensor x = tensor_of({-1, 0.5, 2}, {3});
  CHECK(values(aten::threshold_(x, 0.5, 9)) == list{9, 9, 2});
  const tensor y = aten::copy(tensor_of({0, 0, 0, 0, 0, 0}, {2, 3}, dtype::int16), x);
  CHECK(y.dtype() == dtype::int16);
  CHECK(values(y) == list{9, 9, 2, 9, 9, 2});
  CHECK_THROWS_AS(aten::copy(x, tensor_of({1, 2}, {2})), tb::shape_error);
}

TEST_CASE("out variants: tensor_split at indices from a tensor", "[ops][written]") {
  const tensor x = tensor_of({0, 1, 2, 3, 4, 5}, {6}), two = tensor_of({2}, {}, dtype::int64);
  CHECK(values(aten::narrow_Tensor(x, 0, two, 3)) == list{2, 3, 4});
  CHECK(toy::text_of<tb::error>([&] { aten::narrow_Tensor(x, 0, tensor_of({1, 2}, {2}, dtype::int64), 3); }) ==
        "aten::narrow.Tensor: found a start int64 [2], wanted one integer");
  CHECK(aten::tensor_split_tensor_indices_or_sections(x, two).size() == 2);
  const auto parts = aten::tensor_split_tensor_indices_or_sections(x, tensor_of({1, 4}, {2}, dtype::int64));
  REQUIRE(parts.size() == 3);
  CHECK(values(parts[1]) == list{1, 2, 3});
  CHECK(toy::text_of<tb::error>(
            [&] { aten::tensor_split_tensor_indices_or_sections(x, tensor_of({1}, {}, dtype::int32)); }) ==
        "aten::tensor_split.tensor_indices_or_sections: found int32 [] on cpu, wanted one int64 number, or a row of "
        "them, "
        "on the host");
  const std::vector<tensor> all{x, two};
  CHECK(aten::atleast_1d_Sequence(all)[1].sizes() == shape{1});
  CHECK(aten::atleast_2d_Sequence(all)[0].sizes() == shape{1, 6});
  CHECK(aten::atleast_3d_Sequence(all)[0].sizes() == shape{1, 6, 1});
}

TEST_CASE("out variants: repeat_interleave with a number for each slice", "[ops][written][property]") {
  support::numbers source(102);
  for (int round = 0; round < 6; ++round) {
    for (dtype type : tb::all_dtypes) {
      for (support::arrangement how : support::arrangements) {
        const std::int64_t n = source.whole(0, 4);
        const tensor x = source.tensor({2, n}, type, how);
        list repeats, wanted;
        for (std::int64_t i = 0; i < n; ++i) repeats.push_back(static_cast<double>(source.whole(0, 3)));
        for (std::int64_t r = 0; r < 2; ++r) {
          for (std::int64_t i = 0; i < n; ++i) {
            for (double k = 0; k < repeats[static_cast<std::size_t>(i)]; ++k) wanted.push_back(support::get(x, {r, i}));
          }
        }
        const tensor counts = tensor_of(repeats, {n}, source.whole(0, 1) == 0 ? dtype::int64 : dtype::int32);
        CHECK(values(aten::repeat_interleave_self_Tensor(x, counts, 1)) == wanted);
      }
    }
  }
  CHECK(toy::text_of<tb::error>([] { aten::repeat_interleave_Tensor(tensor_of({1, -1}, {2}, dtype::int64)); }) ==
        "aten::repeat_interleave.Tensor: found repeats below 0, wanted 0 or more");
  CHECK(toy::text_of<tb::shape_error>([] {
          aten::repeat_interleave_Tensor(tensor_of({1, 2}, {2}, dtype::int64), arg<"output_size"> = 4);
        }) == "aten::repeat_interleave.Tensor: found output_size 4, wanted the sum of the repeats, 3");
}
