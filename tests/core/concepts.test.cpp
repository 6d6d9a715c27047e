#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using tb::key_set;
using toy::image;

namespace {

using resize = tb::op<"concepts::resize(int width, float by=1.5, str mode='near') -> int">;

std::int64_t fits(std::int64_t, double, std::string_view) { return 0; }
std::int64_t fits_noexcept(std::int64_t, double, std::string_view) noexcept { return 0; }
std::int64_t fits_with_keys(key_set, std::int64_t, double, std::string_view) { return 0; }
std::int64_t narrow(int, double, std::string_view) { return 0; }
std::int64_t rough(std::int64_t, float, std::string_view) { return 0; }
std::int64_t owning(std::int64_t, double, const std::string&) { return 0; }
std::int64_t constant(std::int64_t, const double&, std::string_view) { return 0; }
std::int64_t late_keys(std::int64_t, double, std::string_view, key_set) { return 0; }
std::int64_t keys_by_reference(const key_set&, std::int64_t, double, std::string_view) { return 0; }
std::int64_t too_few(std::int64_t, double) { return 0; }
std::int64_t too_many(std::int64_t, double, std::string_view, bool) { return 0; }
std::int64_t none() { return 0; }
void silent(std::int64_t, double, std::string_view) {}
int small(std::int64_t, double, std::string_view) { return 0; }
constexpr auto lambda = [](std::int64_t, double, std::string_view) -> std::int64_t { return 0; };
constexpr auto lambda_with_keys = [](key_set, std::int64_t, double, std::string_view) -> std::int64_t { return 0; };
constexpr auto changing = [](std::int64_t, double, std::string_view) mutable -> std::int64_t { return 0; };
constexpr auto generic = [](auto, auto, auto) -> std::int64_t { return 0; };

template <class Op, auto... Fn>
constexpr bool all_fit = ((tb::kernel_for<Fn, Op> && tb::author::explain_kernel<Fn, Op>().ok()) && ...);
template <class Op, auto... Fn>
constexpr bool none_fits = ((!tb::kernel_for<Fn, Op> && !tb::author::explain_kernel<Fn, Op>().ok()) && ...);

}  // namespace

TEST_CASE("concepts: a function is a kernel where there is nothing to say against it, and only there",
          "[core][concepts][B2][R15]") {
  STATIC_REQUIRE(all_fit<resize, fits, fits_noexcept, fits_with_keys, lambda, +lambda, lambda_with_keys>);
  STATIC_REQUIRE(none_fits<resize, narrow, rough, owning, constant, late_keys, keys_by_reference, too_few, too_many,
                           none, silent, small, changing, generic, 42, nullptr>);
  using nullary = tb::op<"concepts::now() -> ()">;
  STATIC_REQUIRE(all_fit<nullary, [] {}, [](key_set) {}>);
  STATIC_REQUIRE(none_fits<nullary, fits, none, 42, [](int) {}>);
  using by_signature = tb::op<"concepts::blur", int(const image&, image&, image)>;
  STATIC_REQUIRE(all_fit<by_signature, [](const image&, image&, image) { return 0; },
                         [](key_set, const image&, image&, image) { return 0; }>);
  STATIC_REQUIRE(
      none_fits<by_signature, [](const image&, image, image) { return 0; }, [](image&, image&, image) { return 0; },
                [](const image&, image&, image&&) { return 0; }, none>);
}
