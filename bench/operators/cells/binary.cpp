// Elementwise operators of several tensors, and losses.
#include "cell.h"

namespace bench::operators {

namespace {

const shape_set sml{&matrices, {"S", "M", "L"}};
const shape_set m_1e6{&matrices, {"M", "1e6"}};

tensor transposed(const tensor& x) { return lib::t(x); }

void add_arithmetic(family f) {
  f.add("a+b.t()", {sized({0, 1}), sized({1, 0}).seen(transposed)}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("a.t()+b.t()", {in().seen(transposed), in().seen(transposed)}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("a[:, ::2]*b[:, ::2]", {in().seen(lib::every_other), in().seen(lib::every_other)},
        [](args a) { return lib::mul(a[0], a[1]); });
  f.both("add", {in(), in()}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("add alpha=0.5", {in(), in()}, [](args a) { return lib::add(a[0], a[1], lib::alpha(0.5)); });
  f.add("add bf16", {in().as(lib::bf16), in().as(lib::bf16)}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("add col [r,c]+[r,1]", {in(), sized({0, -1})}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("add i64", {whole(-1000), whole(-1000)}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("add row [r,c]+[c]", {in(), sized({1})}, [](args a) { return lib::add(a[0], a[1]); });
  f.recorded("add row", m_1e6, {in(), sized({1})}, [](args a) { return lib::add(a[0], a[1]); }).within(10);
  f.add("add scalar", {in()}, [](args a) { return lib::add(a[0], 1.5); });
  f.both("atan2", {in(0.1, 3), in(0.1, 3)}, [](args a) { return lib::atan2(a[0], a[1]); });
  f.add("bitwise_and i64", {whole(-1000), whole(-1000)}, [](args a) { return lib::bitwise_and(a[0], a[1]); });
  f.add("copysign", {in(), in()}, [](args a) { return lib::copysign(a[0], a[1]); });
  f.both("div", {in(), in(0.1, 4)}, [](args a) { return lib::div(a[0], a[1]); });
  f.add("f32 + i64", {in(), whole(-1000)}, [](args a) { return lib::add(a[0], a[1]); });
  f.add("floor_divide", {in(), in(0.1, 4)}, [](args a) { return lib::floor_divide(a[0], a[1]); });
  f.add("floor_divide i64", {whole(-100000), whole(-1000, {}, 1)},
        [](args a) { return lib::floor_divide(a[0], a[1]); });
  f.add("fmax", {in(), in()}, [](args a) { return lib::fmax(a[0], a[1]); });
  f.add("fmod", {in(), in(0.1, 4)}, [](args a) { return lib::fmod(a[0], a[1]); });
  f.add("hypot", {in(), in()}, [](args a) { return lib::hypot(a[0], a[1]); });
  f.add("logaddexp", {in(), in()}, [](args a) { return lib::logaddexp(a[0], a[1]); });
  f.both("maximum", {in(), in()}, [](args a) { return lib::maximum(a[0], a[1]); });
  f.add("minimum", {in(), in()}, [](args a) { return lib::minimum(a[0], a[1]); });
  f.both("mul", {in(), in()}, [](args a) { return lib::mul(a[0], a[1]); });
  f.add("mul [b,ch,hw]*[ch,1]", {&volumes, {"S", "M", "L"}}, {in(), sized({1, -1})},
        [](args a) { return lib::mul(a[0], a[1]); });
  f.recorded("mul col", m_1e6, {in(), sized({0, -1})}, [](args a) { return lib::mul(a[0], a[1]); }).within(10);
  f.add("mul f16", {in().as(lib::f16), in().as(lib::f16)}, [](args a) { return lib::mul(a[0], a[1]); });
  f.add("mul i64", {whole(-1000), whole(-1000)}, [](args a) { return lib::mul(a[0], a[1]); });
  f.both("mul scalar", {in()}, [](args a) { return lib::mul(a[0], 1.5); });
  f.add("outer add [r,1]+[c]", {sized({0, -1}), sized({1})}, [](args a) { return lib::add(a[0], a[1]); });
  f.both("pow", {in(0.1, 3), in(0.1, 3)}, [](args a) { return lib::pow(a[0], a[1]); });
  f.add("pow 1.7", {in(0.1, 3)}, [](args a) { return lib::pow(a[0], 1.7); });
  f.both("pow 2", {in()}, [](args a) { return lib::pow(a[0], 2); });
  f.add("pow 3", {in()}, [](args a) { return lib::pow(a[0], 3); });
  f.add("remainder", {in(), in(0.1, 4)}, [](args a) { return lib::remainder(a[0], a[1]); });
  f.add("remainder i64", {whole(-100000), whole(-1000, {}, 1)}, [](args a) { return lib::remainder(a[0], a[1]); });
  f.add("sub", {in(), in()}, [](args a) { return lib::sub(a[0], a[1]); });
  f.add("xlogy", {in(), in(0.1, 4)}, [](args a) { return lib::xlogy(a[0], a[1]); });
}

void add_comparisons(family f) {
  f.add("eq", {in(), in()}, [](args a) { return lib::eq(a[0], a[1]); });
  f.add("eq i64", {whole(-10), whole(-10)}, [](args a) { return lib::eq(a[0], a[1]); });
  f.add("gt scalar", {in()}, [](args a) { return lib::gt(a[0], 0.5); });
  f.add("isclose", {in(), in()}, [](args a) { return lib::isclose(a[0], a[1]); });
  f.add("logical_and bool", {mask(), mask()}, [](args a) { return lib::logical_and(a[0], a[1]); });
  f.add("lt", {in(), in()}, [](args a) { return lib::lt(a[0], a[1]); });
}

void add_selections(family f) {
  f.add("addcdiv", {in(), in(), in(0.1, 4)}, [](args a) { return lib::addcdiv(a[0], a[1], a[2]); });
  f.add("addcmul", {in(), in(), in()}, [](args a) { return lib::addcmul(a[0], a[1], a[2]); });
  f.both("clamp", {in()}, [](args a) { return lib::clamp(a[0], -1, 1); });
  f.add("clamp_min", {in()}, [](args a) { return lib::clamp_min(a[0], 0.5); });
  f.add("lerp", {in(), in(), in(0, 1)}, [](args a) { return lib::lerp(a[0], a[1], a[2]); });
  f.both("lerp scalar", {in(), in()}, [](args a) { return lib::lerp(a[0], a[1], 0.3); });
  f.both("masked_fill", {in(), mask()}, [](args a) { return lib::masked_fill(a[0], a[1], 0.5); });
  f.both("where", {mask(), in(), in()}, [](args a) { return lib::where(a[0], a[1], a[2]); });
}

void add_losses(family f) {
  const auto target = [](double low, double high) { return in(low, high).without_gradient(); };
  f.add("bce", {in(0.01, 0.99), target(0, 1)}, [](args a) { return lib::binary_cross_entropy(a[0], a[1]); });
  f.both("bce_with_logits", {in(), target(0, 1)},
         [](args a) { return lib::binary_cross_entropy_with_logits(a[0], a[1]); });
  f.both("cross_entropy", {in(), whole(1, {0})}, [](args a) { return lib::cross_entropy_loss(a[0], a[1]); });
  f.both("cross_entropy rows of 10", {sized({tenth, -10}), whole(-10, {tenth})},
         [](args a) { return lib::cross_entropy_loss(a[0], a[1]); });
  f.add("huber_loss", {in(), target(-3, 3)}, [](args a) { return lib::huber_loss(a[0], a[1]); });
  f.add("kl_div", {in(), target(0, 1)}, [](args a) { return lib::kl_div(a[0], a[1]); });
  f.add("l1_loss", {in(), target(-3, 3)}, [](args a) { return lib::l1_loss(a[0], a[1]); });
  f.both("mse_loss", {in(), target(-3, 3)}, [](args a) { return lib::mse_loss(a[0], a[1]); });
  f.add("nll_loss", {in(), whole(1, {0})}, [](args a) { return lib::nll_loss(a[0], a[1]); });
  f.both("smooth_l1_loss", {in(), target(-3, 3)}, [](args a) { return lib::smooth_l1_loss(a[0], a[1]); });
}

}  // namespace

void add_binary(std::vector<cell>& all) {
  add_arithmetic({all, "binary", sml});
  add_comparisons({all, "compare", sml});
  add_selections({all, "select", sml});
  add_losses({all, "loss", sml});
}

}  // namespace bench::operators
