#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/dtype_rules.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace ops = topbit::ops;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using sizes = std::vector<std::int64_t>;
using list = std::vector<double>;

TEST_CASE("create: factories find their backend by the device", "[ops][create]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    for (const tensor& t :
         {ops::empty(sizes{2, 3}, arg<"device"> = where), ops::full(sizes{2, 3}, 1.5, arg<"device"> = where),
          ops::zeros(sizes{2, 3}, arg<"device"> = where), ops::ones(sizes{2, 3}, arg<"device"> = where)}) {
      CHECK(t.device() == where);
      CHECK(t.dtype() == dtype::float32);
      CHECK(t.sizes() == tb::dims{2, 3});
      CHECK(t.is_contiguous());
      CHECK((t.data() == nullptr) == (where == tb::meta));
    }
    CHECK(ops::arange(3, arg<"device"> = where).device() == where);
  }
  CHECK(ops::empty(sizes{}).device() == tb::cpu);
}

TEST_CASE("create: a device whose module is not there is one clear error", "[ops][create]") {
  const tb::device vulkan{tb::backend::PrivateUse1, 0};
  const auto text = [&](auto f) { return text_of<tb::error>(f); };
  const std::string made = text([&] { ops::zeros(sizes{2}, arg<"device"> = vulkan); });
  INFO(made);
  CHECK(made.starts_with("aten::empty.memory_format: "));
  CHECK(made.find("PrivateUse1") != std::string::npos);
  CHECK(made.find("CPU") != std::string::npos);  // what there is
  CHECK(made == text([&] { ops::empty(sizes{2}, arg<"device"> = vulkan); }));
  CHECK(made == text([&] { tb::to(tensor_of({1}, {1}), vulkan); }));
}

TEST_CASE("create: full takes the dtype of its value, unless told", "[ops][create]") {
  CHECK(ops::full(sizes{2}, 2.5).dtype() == dtype::float32);
  CHECK(ops::full(sizes{2}, 2).dtype() == dtype::int64);
  CHECK(ops::full(sizes{2}, true).dtype() == dtype::boolean);
  CHECK(values(ops::full(sizes{2}, 2.5, arg<"dtype"> = dtype::int64)) == list{2, 2});
  CHECK(values(ops::full(sizes{2}, 0.5, arg<"dtype"> = dtype::boolean)) == list{1, 1});
  CHECK(values(ops::full(sizes{}, 7, arg<"dtype"> = dtype::float64)) == list{7});
  CHECK(values(ops::ones(sizes{3}, arg<"dtype"> = dtype::boolean)) == list{1, 1, 1});
  CHECK(values(ops::zeros(sizes{0, 3})).empty());
}

TEST_CASE("create: arange counts below its end", "[ops][create]") {
  CHECK(ops::arange(4).dtype() == dtype::int64);
  CHECK(values(ops::arange(4)) == list{0, 1, 2, 3});
  CHECK(ops::arange(2.5).dtype() == dtype::float32);
  CHECK(values(ops::arange(2.5)) == list{0, 1, 2});
  CHECK(values(ops::arange(3.0)) == list{0, 1, 2});
  CHECK(values(ops::arange(2.5, arg<"dtype"> = dtype::int64)) == list{0, 1, 2});
  CHECK(values(ops::arange(0)).empty());
  CHECK(values(ops::arange(true)) == list{0});
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto text = [](auto f) { return text_of<tb::error>(f); };
    CHECK(text([&] { ops::arange(-1, arg<"device"> = where); }) == "aten::arange: found end -1, wanted 0 to 9e15");
    CHECK(text([&] { ops::arange(std::nan(""), arg<"device"> = where); }) ==
          "aten::arange: found end nan, wanted 0 to 9e15");
    CHECK(text([&] { ops::arange(1e300, arg<"device"> = where); }) ==
          "aten::arange: found end 1e+300, wanted 0 to 9e15");
    CHECK(text([&] { ops::arange(3, arg<"dtype"> = dtype::boolean, arg<"device"> = where); }) ==
          "aten::arange: found dtype bool, wanted a number");
  }
}

TEST_CASE("create: what is not supported is refused, not ignored", "[ops][create]") {
  const auto text = [](auto f) { return text_of<tb::error>(f); };
  CHECK(text([] { ops::empty(sizes{2}, arg<"layout"> = tb::layout::sparse_coo); }) ==
        "aten::empty.memory_format: found a sparse layout, wanted strided");
  CHECK(text([] { ops::zeros(sizes{2}, arg<"pin_memory"> = true); }) ==
        "aten::empty.memory_format: pin_memory is not supported, wanted False");
  CHECK(text([] { ops::arange(2, arg<"layout"> = tb::layout::sparse_csr); }) ==
        "aten::arange: found a sparse layout, wanted strided");
  CHECK(values(ops::zeros(sizes{1}, arg<"layout"> = tb::layout::strided, arg<"pin_memory"> = false)) == list{0});
}

TEST_CASE("create: impossible sizes are refused before memory is asked for", "[ops][create]") {
  const auto text = [](const sizes& s, tb::device where) {
    return text_of<tb::shape_error>([&] { ops::empty(s, arg<"device"> = where); });
  };
  constexpr std::int64_t big = std::int64_t{1} << 62;
  for (tb::device where : {tb::cpu, tb::meta}) {
    CHECK(text({2, -1}, where) == "a tensor of sizes [2, -1]: sizes cannot be negative");
    CHECK(text({big, 4}, where) == "a tensor of sizes [4611686018427387904, 4]: more elements than 64 bits can count");
    CHECK(text({big}, where) == "a tensor of sizes [4611686018427387904]: more elements than 64 bits can count");
    CHECK(text({big, 4, 0}, where) ==
          "a tensor of sizes [4611686018427387904, 4, 0]: more elements than 64 bits can count");
    CHECK(text({1, 1, 1, 1, 1, 1, 1, 1, 1}, where) ==
          "aten::empty.memory_format: found 9 dimensions, wanted at most 8");
  }
  CHECK(ops::empty(sizes{std::int64_t{1} << 50}, arg<"device"> = tb::meta).numel() == std::int64_t{1} << 50);
}

TEST_CASE("create: fill_ and zero_ write every element of any arrangement, and nothing beside it", "[ops][create]") {
  support::numbers source(1);
  for (dtype t : support::dtypes) {
    for (arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
      for (const tb::dims& s : {tb::dims{3, 4}, tb::dims{}, tb::dims{0, 2}, tb::dims{2, 1, 3}}) {
        tensor x = source.tensor(s, t, how);
        const auto before = support::bytes(x);
        CHECK(&ops::fill_(x, 1) == &x);
        CHECK(values(x) == list(static_cast<std::size_t>(x.numel()), 1));
        CHECK(x.version() == 1);
        ops::zero_(x);
        CHECK(values(x) == list(static_cast<std::size_t>(x.numel()), 0));
        const tensor old = support::arranged(s, t, how);
        std::size_t changed = 0;
        for (std::size_t i = 0; i < before.size(); ++i) changed += support::bytes(x)[i] != before[i];
        CHECK(changed <= static_cast<std::size_t>(x.numel()) * tb::size_of(t));
      }
    }
  }
}

TEST_CASE("create: a value that the dtype cannot hold is not undefined", "[ops][create]") {
  constexpr double least = -0x1p63;
  tensor x = ops::empty(sizes{1}, arg<"dtype"> = dtype::int64);
  for (double v : {std::nan(""), 1e300, -1e300, 0x1p63}) {
    ops::fill_(x, v);
    CHECK(values(x) == list{least});
    CHECK(values(tb::to(ops::full(sizes{1}, v, arg<"dtype"> = dtype::float64), dtype::int64)) == list{least});
  }
}

TEST_CASE("create: copy_ converts between any two dtypes and broadcasts", "[ops][create]") {
  support::numbers source(2);
  for (dtype to : support::dtypes) {
    for (dtype from : support::dtypes) {
      for (arrangement how_to : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
        for (arrangement how_from : support::arrangements) {
          for (const tb::dims& s : {tb::dims{2, 3}, tb::dims{3}, tb::dims{1, 1}, tb::dims{}}) {
            tensor x = source.tensor({2, 3}, to, how_to);
            const tensor y = source.tensor(s, from, how_from);
            CHECK(&ops::copy_(x, y) == &x);
            list wanted;
            support::each_index({2, 3}, [&](const tb::dims& i) {
              const double v = support::get(y, support::broadcast_index(i, s));
              wanted.push_back(support::stored(to, v));
            });
            CHECK(values(x) == wanted);
          }
        }
      }
    }
  }
}

TEST_CASE("create: copy_ reads what it would overwrite first", "[ops][create][overlap]") {
  for (dtype t : support::dtypes) {
    tensor x = tensor_of({1, 0, 0, 1}, {2, 2}, t);
    ops::copy_(x, ops::transpose(tensor_of({1, 1, 0, 1}, {2, 2}, t), 0, 1));
    CHECK(values(x) == list{1, 0, 1, 1});
    ops::copy_(x, ops::transpose(x, 0, 1));
    CHECK(values(x) == list{1, 1, 0, 1});
    const tensor y = ops::arange(8, arg<"dtype"> = dtype::float32);
    tensor end = ops::slice(y, 0, 1, 8, 1);
    ops::copy_(end, ops::slice(y, 0, 0, 7, 1));
    CHECK(values(y) == list{0, 0, 1, 2, 3, 4, 5, 6});
    ops::copy_(x, x);
    CHECK(values(x) == list{1, 1, 0, 1});
  }
}

TEST_CASE("create: clone is dense and its own", "[ops][create]") {
  support::numbers source(3);
  for (dtype t : support::dtypes) {
    for (arrangement how : support::arrangements) {
      const tensor x = source.tensor({2, 3, 4}, t, how);
      const tensor y = ops::clone(x);
      CHECK(values(y) == values(x));
      CHECK(y.is_contiguous());
      CHECK(y.record().data.get() != x.record().data.get());
      CHECK(y.version() == 0);
    }
  }
}

TEST_CASE("create: to gives the tensor itself where nothing changes, else a copy", "[ops][create]") {
  const tensor x = tensor_of({0.5, 2, 0}, {3});
  CHECK(tb::to(x, dtype::float64).same_as(x));
  CHECK(tb::to(x, tb::cpu).same_as(x));
  CHECK(values(tb::to(x, dtype::boolean)) == list{1, 1, 0});
  const tensor shape = tb::to(x, tb::meta);
  CHECK(shape.device() == tb::meta);
  CHECK(shape.sizes() == x.sizes());
  CHECK(text_of<tb::device_error>([&] { tb::to(shape, tb::cpu); }) ==
        "aten::copy_: a meta tensor has no elements to copy");
}
