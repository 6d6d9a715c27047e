#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
using tb::dtype;
using tb::tensor;

namespace {
std::string line(const tensor& t) { return to_string(t, {.one_line = true}); }
}  // namespace

TEST_CASE("print: one line has values in nested brackets, then the metadata", "[tensor][print]") {
  CHECK(line(tb::from_values({1.0F, 2.5F, -3.0F, 0.1F}, {2, 2})) == "[[1, 2.5], [-3, 0.1]] (float32 [2, 2])");
  CHECK(line(tb::from_values({0.1, 1e300}, {2})) == "[0.1, 1e+300] (float64 [2])");
  CHECK(line(tb::from_values<std::int64_t>({std::numeric_limits<std::int64_t>::min()}, {1})) ==
        "[-9223372036854775808] (int64 [1])");
  CHECK(line(tb::from_values({true, false}, {2, 1})) == "[[true], [false]] (bool [2, 1])");
  CHECK(line(tb::from_values({7.0F}, {})) == "7 (float32 [])");
  CHECK(line(tb::from_values({-0.0F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()},
                             {3})) == "[-0, inf, nan] (float32 [3])");
}

TEST_CASE("print: in one line empty dimensions show where they are", "[tensor][print]") {
  CHECK(line(tb::from_values<float>({}, {0})) == "[] (float32 [0])");
  CHECK(line(tb::from_values<float>({}, {2, 0})) == "[[], []] (float32 [2, 0])");
  CHECK(line(tb::from_values<float>({}, {0, 2})) == "[] (float32 [0, 2])");
}

TEST_CASE("print: one line follows strides", "[tensor][print]") {
  const tensor t = tb::from_values<std::int64_t>({0, 1, 2, 3, 4, 5}, {2, 3});
  CHECK(line(tb::author::make_view(t, {3, 2}, {1, 3}, 0)) == "[[0, 3], [1, 4], [2, 5]] (int64 [3, 2])");
  CHECK(line(tb::author::make_view(t, {2}, {0}, 4)) == "[4, 4] (int64 [2])");
}

TEST_CASE("print: in one line a long dimension shows three elements at each end, or as many as asked for",
          "[tensor][print]") {
  CHECK(line(tb::aten::arange(6)) == "[0, 1, 2, 3, 4, 5] (int64 [6])");
  CHECK(line(tb::aten::arange(7)) == "[0, 1, 2, ..., 4, 5, 6] (int64 [7])");
  CHECK(line(tb::aten::arange(1000)) == "[0, 1, 2, ..., 997, 998, 999] (int64 [1000])");
  CHECK(line(tb::aten::zeros(std::vector<std::int64_t>{100, 1})) ==
        "[[0], [0], [0], ..., [0], [0], [0]] (float32 [100, 1])");
  const tensor five = tb::aten::arange(5);
  CHECK(to_string(five, {.edge_items = 2, .one_line = true}) == "[0, 1, ..., 3, 4] (int64 [5])");
  CHECK(to_string(five, {.edge_items = -1, .one_line = true}) == "[0, ..., 4] (int64 [5])");
  CHECK(to_string(five, {.describe = false, .one_line = true}) == "[0, 1, 2, 3, 4]");
}

TEST_CASE("print: by default values stand in columns, then what the tensor is", "[tensor][print]") {
  CHECK(to_string(tensor({{1.F, 20.5F}, {-3.F, 0.F}})) == "[[ 1. , 20.5],\n [-3. ,  0. ]] (float32 [2, 2])");
  CHECK(to_string(tensor({true, false})) == "[ True, False] (bool [2])");
  CHECK(to_string(tb::from_values({7.0F}, {})) == "7. (float32 [])");
  CHECK(to_string(tb::from_values({true}, {})) == "True (bool [])");
  CHECK(to_string(tensor({1.F / 3}), {.precision = 2}) == "[0.33] (float32 [1])");
}

TEST_CASE("print: empty tensors show their sizes", "[tensor][print]") {
  CHECK(to_string(tensor({})) == "[] (float32 [0])");
  CHECK(to_string(tb::from_values<float>({}, {2, 0})) == "[] (float32 [2, 0])");
}

TEST_CASE("print: without readable values, only the metadata", "[tensor][print]") {
  CHECK(to_string(tensor()) == "undefined tensor");
  CHECK(line(tensor()) == "undefined tensor");
  CHECK(to_string(tensor(), {.describe = false}) == "undefined tensor");
  CHECK(to_string(tb::author::make_tensor({2, 3}, dtype::float32, tb::meta)) == "(float32 [2, 3] on meta)");
  CHECK(line(tb::author::make_tensor({2, 3}, dtype::float32, tb::meta)) == "(float32 [2, 3] on meta)");
  CHECK(to_string(tb::author::make_opaque({2}, dtype::int64, {tb::backend::PrivateUse1, 1}, {})) ==
        "(int64 [2] opaque on privateuse1:1)");
}

namespace {

// A device of whose memory the host has no address, and no kernel.
constexpr tb::device hidden{tb::backend::PrivateUse3, 0};
constexpr std::uintptr_t far_away = std::uintptr_t{1} << 62;
int fetched = 0;

void* flipped(const void* p) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) ^ far_away); }
void hide() {
  tb::set_memory_hook(
      hidden.type,
      {[](tb::device, std::size_t n) { return flipped(std::malloc(n)); },
       [](tb::device, void* p) noexcept { std::free(flipped(p)); },
       [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(flipped(to), from, n); },
       [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(to, flipped(from), n), ++fetched; }});
}
tensor there(const tensor& host) {
  tensor t = tb::author::make_tensor(host.sizes(), host.dtype(), hidden);
  const std::size_t bytes = static_cast<std::size_t>(host.numel()) * size_of(host.dtype());
  if (bytes != 0) tb::memory_of(hidden).copy_in(hidden, t.data(), host.data(), bytes);
  return t;
}

}  // namespace

TEST_CASE("print: values of a device are copied to the host first", "[tensor][print]") {
  hide();
  const tensor t = there(tb::from_values<std::int64_t>({0, 1, 2, 3, 4, 5}, {2, 3}));
  CHECK(line(t) == "[[0, 1, 2], [3, 4, 5]] (int64 [2, 3] on privateuse3:0)");
  CHECK(to_string(t) == "[[0, 1, 2],\n [3, 4, 5]] (int64 [2, 3] on privateuse3:0)");
  CHECK(line(tb::author::make_view(t, {2, 2}, {1, 3}, 1)) == "[[1, 4], [2, 5]] (int64 [2, 2] on privateuse3:0)");
  CHECK(to_string(tb::author::make_view(t, {3}, {-1}, 4)) == "[4, 3, 2] (int64 [3] on privateuse3:0)");
  CHECK(to_string(there(tb::from_values<float>({}, {0}))) == "[] (float32 [0] on privateuse3:0)");
  CHECK(to_string(there(tb::from_values({true}, {}))) == "True (bool [] on privateuse3:0)");
}

TEST_CASE("print: of a long device tensor only the ends are copied", "[tensor][print]") {
  hide();
  const tensor t = there(tb::aten::arange(100000));
  fetched = 0;
  CHECK(to_string(t) == "[    0,     1,     2, ..., 99997, 99998, 99999] (int64 [100000] on privateuse3:0)");
  CHECK(line(t) == "[0, 1, 2, ..., 99997, 99998, 99999] (int64 [100000] on privateuse3:0)");
  CHECK(fetched <= 6);
}
