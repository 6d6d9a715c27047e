#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::dtype;
using tb::shape;
using tb::tensor;
using toy::text_of;

namespace {
const tensor six = tb::from_values<std::int64_t>({0, 1, 2, 3, 4, 5}, {2, 3});
std::string refused(const shape& sizes, const shape& strides, std::int64_t offset) {
  return text_of<tb::shape_error>([&] { tb::author::make_view(six, sizes, strides, offset); });
}
}  // namespace

TEST_CASE("make: a new tensor is dense and row-major", "[tensor][make]") {
  const tensor t = tb::author::make_tensor({2, 3, 4}, dtype::float64, tb::cpu);
  CHECK(t.strides() == shape{12, 4, 1});
  CHECK(tb::author::record_of(t).offset == 0);
  CHECK(tb::author::record_of(t).data->bytes == 24 * sizeof(double));
  CHECK(tb::author::record_of(tb::author::make_tensor({}, dtype::boolean, tb::cpu)).data->bytes == 1);
}

TEST_CASE("make: impossible sizes are refused", "[tensor][make]") {
  constexpr std::int64_t big = std::int64_t{1} << 62, most = std::numeric_limits<std::int64_t>::max();
  const auto text = [](const shape& s) {
    return text_of<tb::shape_error>([&] { tb::author::make_tensor(s, dtype::boolean, tb::cpu); });
  };
  CHECK(text({-1}) == "a tensor of sizes [-1]: sizes cannot be negative");
  CHECK(text({0, -1}) == "a tensor of sizes [0, -1]: sizes cannot be negative");
  CHECK(text({big, 2}) == "a tensor of sizes [4611686018427387904, 2]: more elements than 64 bits can count");
  CHECK(text({big, 4}) == "a tensor of sizes [4611686018427387904, 4]: more elements than 64 bits can count");
  CHECK(text({0, big, 4}) == "a tensor of sizes [0, 4611686018427387904, 4]: more elements than 64 bits can count");
  CHECK(text({most}) == "a tensor of sizes [9223372036854775807]: more elements than 64 bits can count");
  CHECK(text({most, most, most, most, most, most}).ends_with("more elements than 64 bits can count"));
}

TEST_CASE("make: a view shows elements of the base in another order", "[tensor][make]") {
  const tensor t = tb::author::make_view(six, {3, 2}, {1, 3}, 0);
  CHECK(support::values(t) == std::vector<double>{0, 3, 1, 4, 2, 5});
  CHECK(t.keys() == six.keys());
  const tensor backwards = tb::author::make_view(six, {6}, {-1}, 5);
  CHECK(support::values(backwards) == std::vector<double>{5, 4, 3, 2, 1, 0});
  const tensor repeated = tb::author::make_view(six, {2, 2}, {0, 1}, 4);
  CHECK(support::values(repeated) == std::vector<double>{4, 5, 4, 5});
}

TEST_CASE("make: a view cannot leave its storage", "[tensor][make]") {
  constexpr std::int64_t big = std::int64_t{1} << 62;
  CHECK(refused({7}, {1}, 0) == "a view of sizes [7], strides [1], offset 0 leaves the storage of 6 elements");
  CHECK(refused({6}, {1}, 1) == "a view of sizes [6], strides [1], offset 1 leaves the storage of 6 elements");
  CHECK(refused({2}, {6}, 0) == "a view of sizes [2], strides [6], offset 0 leaves the storage of 6 elements");
  CHECK(refused({1}, {1}, -1) == "a view of sizes [1], strides [1], offset -1 leaves the storage of 6 elements");
  CHECK(refused({3}, {-1}, 1) == "a view of sizes [3], strides [-1], offset 1 leaves the storage of 6 elements");
  CHECK(refused({2, 2}, {3, -1}, 0) ==
        "a view of sizes [2, 2], strides [3, -1], offset 0 leaves the storage of 6 elements");
  CHECK(refused({5}, {big}, 0).ends_with("leaves the storage of 6 elements"));  // 4 * big is 0 in 64 bits
  CHECK(refused({2, 2}, {big, big}, big).ends_with("leaves the storage of 6 elements"));
  CHECK(refused({2, 2}, {1}, 0).ends_with("leaves the storage of 6 elements"));
  CHECK(refused({-1}, {1}, 0) == "a tensor of sizes [-1]: sizes cannot be negative");
  CHECK(tb::author::make_view(six, {0}, {1}, 6).numel() == 0);
  CHECK_THROWS_AS(tb::author::make_view(tensor(), {1}, {1}, 0), tb::shape_error);
}

namespace {

// What a backend keeps in an opaque tensor.
struct image_data : tb::tensor_extension {
  image_data(int& count, int n) : live(count), number(n) { ++live; }
  ~image_data() override { --live; }
  int& live;
  const int number;
};
struct other_data : tb::tensor_extension {};
struct sparse_data : tb::tensor_extension {
  static constexpr tb::layout of_layout = tb::layout::sparse_coo;
};

constexpr tb::device elsewhere{tb::backend::PrivateUse2, 1};
tensor opaque(tb::tensor_extension* data, tb::layout how = tb::layout::opaque) {
  return tb::author::make_opaque({2, 3}, dtype::float32, elsewhere, tb::key_set(tb::key::Vulkan),
                                 tb::intrusive_ptr<tb::tensor_extension>(data), how);
}

}  // namespace

TEST_CASE("make: an opaque tensor has the given keys and payload, which is destroyed with the last alias",
          "[tensor][make]") {
  int live = 0;
  {
    const tensor t = opaque(new image_data(live, 7));
    CHECK(t.keys() == tb::key_set(tb::key::Vulkan));
    CHECK(t.layout() == tb::layout::opaque);
    CHECK(t.device() == elsewhere);
    CHECK(t.numel() == 6);
    CHECK(t.payload<image_data>().number == 7);
    tensor alias = tb::author::make_alias(t);
    CHECK(alias.layout() == tb::layout::opaque);
    CHECK(&alias.payload<image_data>() == &t.payload<image_data>());
    CHECK(tb::author::record_of(t).extension.get() == nullptr);
    CHECK(live == 1);
    const tensor kept = std::exchange(alias, tensor());
    CHECK(live == 1);
  }
  CHECK(live == 0);
  CHECK(text_of<tb::shape_error>([&] {
          tb::author::make_opaque({-1}, dtype::float32, tb::cpu, {},
                                  tb::intrusive_ptr<tb::tensor_extension>(new image_data(live, 1)));
        }) == "a tensor of sizes [-1]: sizes cannot be negative");
  CHECK(live == 0);
}

TEST_CASE("make: writes to an opaque tensor are counted, and its aliases see them", "[tensor][make]") {
  const tensor t = opaque(nullptr), alias = tb::author::make_alias(t);
  CHECK(t.version() == 0);
  tb::author::bump_version(alias);
  CHECK(t.version() == 1);
}

TEST_CASE("make: an opaque tensor has no strides, elements or views", "[tensor][make][layout]") {
  const tensor t = opaque(nullptr);
  const auto text = [](auto f) { return text_of<tb::layout_error>(f); };
  const std::string why = ": found layout opaque, wanted strided; its backend needs its own kernel for the operator";
  CHECK(text([&] { t.strides(); }) == "strides of a tensor" + why);
  CHECK(text([&] { t.data(); }) == "data of a tensor" + why);
  CHECK(text([&] { t.is_contiguous(); }) == "is_contiguous of a tensor" + why);
  CHECK(text([&] { tb::author::make_view(t, {1}, {1}, 0); }) == "a view of a tensor" + why);
  CHECK(text([&] { opaque(nullptr, tb::layout::strided); }) ==
        "make_opaque: found layout strided, wanted another one; make_tensor() makes strided tensors");
}

TEST_CASE("make: the payload of an opaque tensor is accessed by class and layout", "[tensor][make][layout]") {
  int live = 0;
  const tensor t = opaque(new image_data(live, 7)), none = opaque(nullptr);
  const auto text = [](auto f) { return text_of<tb::layout_error>(f); };
  CHECK(text([&] { t.payload<other_data>(); }) ==
        "payload of a tensor: found payload of another class in a tensor of layout opaque on privateuse2:1, wanted the "
        "requested class");
  CHECK(text([&] {
          none.payload<other_data>();
        }).starts_with("payload of a tensor: found none in a tensor of layout opaque"));
  CHECK(text([&] { six.payload<image_data>(); }) == "payload of a tensor: found layout strided, wanted opaque");
  CHECK(text([&] { six.payload<sparse_data>(); }) == "payload of a tensor: found layout strided, wanted sparse_coo");
  CHECK(text([&] { t.payload<sparse_data>(); }).starts_with("payload of a tensor: found layout opaque, wanted sparse"));
  const tensor sparse = opaque(new sparse_data, tb::layout::sparse_coo);
  CHECK(sparse.layout() == tb::layout::sparse_coo);
  sparse.payload<sparse_data>();
}

TEST_CASE("make: from_values copies as many values as the shape has", "[tensor][make]") {
  std::vector<double> values{1, 2, 3, 4};
  const tensor t = tb::from_values(values, {2, 2});
  values[0] = 9;
  CHECK(support::values(t) == std::vector<double>{1, 2, 3, 4});
  CHECK(t.dtype() == dtype::float64);
  CHECK(tb::from_values({true, false}, {2}).dtype() == dtype::boolean);
  CHECK(tb::from_values<float>({}, {0, 3}).numel() == 0);
  CHECK(tb::from_values({2.5F}, {}).dim() == 0);
  CHECK(text_of<tb::shape_error>([] { tb::from_values({1.0, 2.0}, {3}); }) ==
        "from_values: found 2 values, the sizes [3] want 3");
  CHECK(text_of<tb::shape_error>([] { tb::from_values({1.0, 2.0}, {-2}); }) ==
        "a tensor of sizes [-2]: sizes cannot be negative");
}

TEST_CASE("make: from_blob shares the program's elements and releases them once", "[tensor][make]") {
  std::vector<float> numbers{1, 2, 3, 4};
  int released = 0;
  void* where_released = nullptr;
  {
    const tensor t = tb::from_blob(numbers.data(), {2, 2}, [&](void* p) {
      ++released;
      where_released = p;
    });
    CHECK(t.dtype() == dtype::float32);
    CHECK(t.is_contiguous());
    CHECK(t.data() == numbers.data());
    const tensor column = tb::author::make_view(t, {2}, {2}, 1);
    CHECK(support::values(column) == std::vector<double>{2, 4});
    numbers[3] = 9;
    CHECK(support::values(column) == std::vector<double>{2, 9});
    CHECK(released == 0);
  }
  CHECK(released == 1);
  CHECK(where_released == numbers.data());
  {
    const tensor t = tb::from_blob(numbers.data(), {4});
  }
  CHECK(numbers[0] == 1);
}

TEST_CASE("make: from_blob refuses what has no elements", "[tensor][make]") {
  float* const nowhere = nullptr;
  CHECK(tb::from_blob(nowhere, {0, 2}).numel() == 0);
  CHECK(text_of<tb::shape_error>([&] { tb::from_blob(nowhere, {2, 2}); }) ==
        "from_blob: found a null pointer for 4 elements of sizes [2, 2], wanted their address");
  float one = 1;
  CHECK(text_of<tb::shape_error>([&] { tb::from_blob(&one, {-1}); }) ==
        "a tensor of sizes [-1]: sizes cannot be negative");
}
