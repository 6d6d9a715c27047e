#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using toy::tensor;

template <>
struct topbit::author::schema_word<toy::device> {
  static constexpr std::string_view value = "Device";
};

namespace {
template <class Sig>
constexpr std::string_view schema_of() {
  return tb::author::inferred_schema<"n::f", Sig>.view();
}
}  // namespace

TEST_CASE("signature_types: a signature gives its schema", "[core][signature_types][G20]") {
  CHECK(schema_of<void()>() == "n::f() -> ()");
  CHECK(schema_of<std::int64_t(double, bool, std::string_view)>() == "n::f(float _0, bool _1, str _2) -> int");
  CHECK(schema_of<std::vector<std::int64_t>(std::span<const std::int64_t>, std::optional<double>)>() ==
        "n::f(int[] _0, float? _1) -> int[]");
  CHECK(schema_of<void(std::optional<std::span<const bool>>, std::span<const std::optional<std::int64_t>>)>() ==
        "n::f(bool[]? _0, int?[] _1) -> ()");
  CHECK(schema_of<std::tuple<double, std::string>(toy::device)>() == "n::f(Device _0) -> (float _0, str _1)");
}

TEST_CASE("signature_types: what is taken by reference is written, and a reference comes back",
          "[core][signature_types]") {
  CHECK(schema_of<tensor&(tensor&, const tensor&)>() == "n::f(toy::tensor(a!) _0, toy::tensor _1) -> toy::tensor(a!)");
  CHECK(schema_of<std::tuple<tensor&, tensor&>(const tensor&, tensor&, tensor&)>() ==
        "n::f(toy::tensor _0, toy::tensor(a!) _1, toy::tensor(b!) _2) -> (toy::tensor(a!) _0, toy::tensor(b!) _1)");
  CHECK(schema_of<tensor&(tensor&, tensor&)>() == "n::f(toy::tensor(a!) _0, toy::tensor(b!) _1) -> toy::tensor(a|b!)");
  CHECK(schema_of<void(std::vector<tensor>&)>() == "n::f(toy::tensor(a!)[] _0) -> ()");
}

TEST_CASE("signature_types: a type without a word goes by its C++ name, and no other word is taken for it",
          "[core][signature_types]") {
  CHECK(schema_of<float(int, unsigned char)>() == "n::f(int32 _0, uint8 _1) -> float32");
  CHECK(schema_of<void(const std::map<int, tensor>&)>().starts_with("n::f(std::map_int"));
}

TEST_CASE("signature_types: an inferred schema is a canonical schema", "[core][signature_types]") {
  const auto comes_back = [](std::string_view text) { return to_string(tb::schema(text).view()) == text; };
  CHECK(comes_back(schema_of<void()>()));
  CHECK(comes_back(schema_of<tensor&(tensor&, tensor&)>()));
  CHECK(comes_back(schema_of<std::tuple<double, std::vector<tensor>>(std::span<const tensor>, const tensor&)>()));
  CHECK(comes_back(schema_of<float(int, const std::map<int, tensor>&)>()));
  CHECK(comes_back(schema_of<void(double*, void*, std::string*, void (*)(), int toy::image::*)>()));
  using t = tensor;
  CHECK(comes_back(schema_of<void(t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&, t&,
                                  t&, t&, t&, t&, t&, t&, t&)>()));
}
