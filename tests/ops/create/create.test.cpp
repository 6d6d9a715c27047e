#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "oracle/dtype_rules.h"
#include "support/properties.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit;

namespace tb = topbit;
namespace aten = topbit::aten;
using support::arrangement;
using support::tensor_of;
using support::values;
using tb::arg;
using tb::dtype;
using tb::tensor;
using toy::text_of;
using sizes = std::vector<std::int64_t>;
using list = std::vector<double>;

TEST_CASE("create: factory functions select their backend by the device", "[ops][create]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    for (const tensor& t :
         {aten::empty_memory_format(sizes{2, 3}, arg<"device"> = where),
          aten::full(sizes{2, 3}, 1.5, arg<"device"> = where), aten::zeros(sizes{2, 3}, arg<"device"> = where),
          aten::ones(sizes{2, 3}, arg<"device"> = where)}) {
      CHECK(t.device() == where);
      CHECK(t.dtype() == dtype::float32);
      CHECK(t.sizes() == tb::shape{2, 3});
      CHECK(t.is_contiguous());
      CHECK((t.data() == nullptr) == (where == tb::meta));
    }
    CHECK(aten::arange(3, arg<"device"> = where).device() == where);
  }
  CHECK(aten::empty_memory_format(sizes{}).device() == tb::cpu);
}

TEST_CASE("create: a device whose module is missing is one clear error", "[ops][create]") {
  const tb::device vulkan{tb::backend::PrivateUse1, 0};
  const auto text = [&](auto f) { return text_of<tb::error>(f); };
  const std::string made = text([&] { aten::empty_memory_format(sizes{2}, arg<"device"> = vulkan); });
  INFO(made);
  CHECK(made.starts_with("aten::empty.memory_format: "));
  CHECK(made.find("PrivateUse1") != std::string::npos);
  CHECK(made.find("CPU") != std::string::npos);  // what there is
  CHECK("aten::zeros: in " + made == text([&] { aten::zeros(sizes{2}, arg<"device"> = vulkan); }));
  CHECK("aten::_to_copy: in " + made == text([&] { tb::to(tensor_of({1}, {1}), vulkan); }));
}

TEST_CASE("create: full uses the dtype of its value by default", "[ops][create]") {
  CHECK(aten::full(sizes{2}, 2.5).dtype() == dtype::float32);
  CHECK(aten::full(sizes{2}, 2).dtype() == dtype::int64);
  CHECK(aten::full(sizes{2}, true).dtype() == dtype::boolean);
  CHECK(values(aten::full(sizes{2}, 2.5, arg<"dtype"> = dtype::int64)) == list{2, 2});
  CHECK(values(aten::full(sizes{2}, 0.5, arg<"dtype"> = dtype::boolean)) == list{1, 1});
  CHECK(values(aten::full(sizes{}, 7, arg<"dtype"> = dtype::float64)) == list{7});
  CHECK(values(aten::ones(sizes{3}, arg<"dtype"> = dtype::boolean)) == list{1, 1, 1});
  CHECK(values(aten::zeros(sizes{0, 3})).empty());
}

TEST_CASE("create: arange excludes its end", "[ops][create]") {
  CHECK(aten::arange(4).dtype() == dtype::int64);
  CHECK(values(aten::arange(4)) == list{0, 1, 2, 3});
  CHECK(aten::arange(2.5).dtype() == dtype::float32);
  CHECK(values(aten::arange(2.5)) == list{0, 1, 2});
  CHECK(values(aten::arange(3.0)) == list{0, 1, 2});
  CHECK(values(aten::arange(2.5, arg<"dtype"> = dtype::int64)) == list{0, 1, 2});
  CHECK(values(aten::arange(0)).empty());
  CHECK(values(aten::arange(true)) == list{0});
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto text = [](auto f) { return text_of<tb::error>(f); };
    CHECK(text([&] { aten::arange(-1, arg<"device"> = where); }) ==
          "aten::arange: found start 0, end -1 and step 1, wanted a step that leads to the end");
    CHECK(text([&] { aten::arange(std::nan(""), arg<"device"> = where); }) ==
          "aten::arange: found start 0, end nan and step 1, wanted finite numbers");
    CHECK(text([&] { aten::arange(1e300, arg<"device"> = where); }) ==
          "aten::arange: found start 0, end 1e+300 and step 1, more elements than 64 bits can count");
    CHECK(text([&] { aten::arange(3, arg<"dtype"> = dtype::boolean, arg<"device"> = where); }) ==
          "aten::arange: found dtype bool, wanted a number");
  }
}

TEST_CASE("create: unsupported options are refused, not ignored", "[ops][create]") {
  const auto text = [](auto f) { return text_of<tb::error>(f); };
  CHECK(text([] {
          aten::empty_memory_format(sizes{2}, arg<"layout"> = tb::layout::sparse_coo);
        }).starts_with("aten::empty.memory_format: no kernel for SparseCPU"));
  CHECK(text([] { aten::zeros(sizes{2}, arg<"pin_memory"> = true); }) ==
        "aten::zeros: pin_memory is not supported, wanted False");
  CHECK(text([] { aten::arange(2, arg<"layout"> = tb::layout::sparse_csr); }) ==
        "aten::arange: found layout sparse_csr, wanted strided; the module of a layout makes tensors of it");
  CHECK(values(aten::zeros(sizes{1}, arg<"layout"> = tb::layout::strided, arg<"pin_memory"> = false)) == list{0});
}

TEST_CASE("create: impossible sizes are refused before allocation", "[ops][create]") {
  const auto text = [](const sizes& s, tb::device where) {
    return text_of<tb::shape_error>([&] { aten::empty_memory_format(s, arg<"device"> = where); });
  };
  constexpr std::int64_t big = std::int64_t{1} << 62;
  for (tb::device where : {tb::cpu, tb::meta}) {
    CHECK(text({2, -1}, where) == "aten::empty.memory_format: found sizes [2, -1], wanted none below 0");
    CHECK(text({big, 4}, where) ==
          "aten::empty.memory_format: found sizes [4611686018427387904, 4], more elements than 64 bits can count");
    CHECK(text({big}, where) ==
          "aten::empty.memory_format: found sizes [4611686018427387904], more elements than 64 bits can count");
    CHECK(text({big, 4, 0}, where) ==
          "aten::empty.memory_format: found sizes [4611686018427387904, 4, 0], more elements than 64 bits can count");
    CHECK(text({1, 1, 1, 1, 1, 1, 1, 1, 1}, where) ==
          "aten::empty.memory_format: found 9 dimensions, wanted at most 8");
  }
  CHECK(aten::empty_memory_format(sizes{std::int64_t{1} << 50}, arg<"device"> = tb::meta).numel() == std::int64_t{1}
                                                                                                         << 50);
}

TEST_CASE("create: fill_ and zero_ write every element in any memory layout, and nothing else",
          "[ops][create][property]") {
  support::numbers source(1);
  for (dtype t : support::dtypes) {
    for (arrangement how : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
      for (const tb::shape& s : {tb::shape{3, 4}, tb::shape{}, tb::shape{0, 2}, tb::shape{2, 1, 3}}) {
        tensor x = source.tensor(s, t, how);
        const auto before = support::bytes(x);
        CHECK(&aten::fill_Scalar_(x, 1) == &x);
        CHECK(values(x) == list(static_cast<std::size_t>(x.numel()), 1));
        CHECK(x.version() == 1);
        aten::zero_(x);
        CHECK(values(x) == list(static_cast<std::size_t>(x.numel()), 0));
        const tensor old = support::arranged(s, t, how);
        std::size_t changed = 0;
        for (std::size_t i = 0; i < before.size(); ++i) changed += support::bytes(x)[i] != before[i];
        CHECK(changed <= static_cast<std::size_t>(x.numel()) * tb::size_of(t));
      }
    }
  }
}

TEST_CASE("create: converting an out-of-range value is defined", "[ops][create][property]") {
  constexpr double least = -0x1p63;
  tensor x = aten::empty_memory_format(sizes{1}, arg<"dtype"> = dtype::int64);
  for (double v : {std::nan(""), 1e300, -1e300, 0x1p63}) {
    aten::fill_Scalar_(x, v);
    CHECK(values(x) == list{least});
    CHECK(values(tb::to(aten::full(sizes{1}, v, arg<"dtype"> = dtype::float64), dtype::int64)) == list{least});
  }
}

TEST_CASE("create: copy_ converts between any two dtypes and broadcasts", "[ops][create][property]") {
  support::numbers source(2);
  for (dtype to : support::dtypes) {
    for (dtype from : support::dtypes) {
      for (arrangement how_to : {arrangement::dense, arrangement::transposed, arrangement::sliced}) {
        for (arrangement how_from : support::arrangements) {
          for (const tb::shape& s : {tb::shape{2, 3}, tb::shape{3}, tb::shape{1, 1}, tb::shape{}}) {
            tensor x = source.tensor({2, 3}, to, how_to);
            const tensor y = source.tensor(s, from, how_from);
            CHECK(&aten::copy_(x, y) == &x);
            list wanted;
            support::each_index({2, 3}, [&](const tb::shape& i) {
              const double v = support::get(y, support::broadcast_index(i, s));
              wanted.push_back(oracle::stored(to, v));
            });
            CHECK(values(x) == wanted);
          }
        }
      }
    }
  }
}

TEST_CASE("create: copy_ reads overlapping elements before it writes", "[ops][create][overlap][property]") {
  for (dtype t : support::dtypes) {
    tensor x = tensor_of({1, 0, 0, 1}, {2, 2}, t);
    aten::copy_(x, aten::transpose_int(tensor_of({1, 1, 0, 1}, {2, 2}, t), 0, 1));
    CHECK(values(x) == list{1, 0, 1, 1});
    aten::copy_(x, aten::transpose_int(x, 0, 1));
    CHECK(values(x) == list{1, 1, 0, 1});
    const tensor y = aten::arange(8, arg<"dtype"> = dtype::float32);
    tensor end = aten::slice_Tensor(y, 0, 1, 8, 1);
    aten::copy_(end, aten::slice_Tensor(y, 0, 0, 7, 1));
    CHECK(values(y) == list{0, 0, 1, 2, 3, 4, 5, 6});
    aten::copy_(x, x);
    CHECK(values(x) == list{1, 1, 0, 1});
  }
}

TEST_CASE("create: clone is a new tensor, dense in the memory order of its source unless row-major is requested",
          "[ops][create][property]") {
  support::numbers source(3);
  for (dtype t : support::dtypes) {
    for (arrangement how : support::arrangements) {
      const tensor x = source.tensor({2, 3, 4}, t, how);
      const tensor y = aten::clone(x), rows = aten::clone(x, arg<"memory_format"> = tb::memory_format::contiguous);
      CHECK(values(y) == values(x));
      CHECK(values(rows) == values(x));
      CHECK(y.strides() == (how == arrangement::transposed ? tb::shape{1, 2, 6} : tb::shape{12, 4, 1}));
      CHECK(rows.is_contiguous());
      CHECK(tb::author::record_of(y).data.get() != tb::author::record_of(x).data.get());
      CHECK(y.version() == 0);
    }
  }
}

TEST_CASE("create: to returns the tensor itself if nothing changes, else a copy", "[ops][create]") {
  const tensor x = tensor_of({0.5, 2, 0}, {3});
  CHECK(tb::to(x, dtype::float64).same_as(x));
  CHECK(tb::to(x, tb::cpu).same_as(x));
  CHECK(values(tb::to(x, dtype::boolean)) == list{1, 1, 0});
  const tensor given_shape = tb::to(x, tb::meta);
  CHECK(given_shape.device() == tb::meta);
  CHECK(given_shape.sizes() == x.sizes());
  CHECK(text_of<tb::device_error>([&] { tb::to(given_shape, tb::cpu); }) ==
        "aten::_to_copy: in aten::copy_: a meta tensor has no elements to copy");
}

TEST_CASE("create: the _like operators keep sizes, dtype, device and memory order", "[ops][create]") {
  using tb::memory_format;
  for (tb::device where : {tb::cpu, tb::meta}) {
    for (dtype t : support::dtypes) {
      for (arrangement how : support::arrangements) {
        for (const tb::shape& s : {tb::shape{}, tb::shape{2, 0}, tb::shape{2, 3}, tb::shape{2, 1, 3, 4}}) {
          const tensor x = support::arranged(s, t, how, where);
          const tensor made[] = {aten::empty_like(x), aten::full_like(x, 1), aten::zeros_like(x),
                                 aten::ones_like(x),  aten::zero(x),         aten::fill_Scalar(x, 1)};
          for (const tensor& y : made) {
            CHECK(y.sizes() == s);
            CHECK(y.dtype() == t);
            CHECK(y.device() == where);
            CHECK(y.strides() == aten::clone(x).strides());
            if (how == arrangement::transposed && s == tb::shape{2, 3}) CHECK(y.strides() == tb::shape{1, 2});
          }
          CHECK(aten::ones_like(x, arg<"memory_format"> = memory_format::contiguous).is_contiguous());
          const tensor other = aten::zeros_like(x, arg<"dtype"> = dtype::int16, arg<"device"> = tb::meta);
          CHECK(other.dtype() == dtype::int16);
          CHECK(other.device() == tb::meta);
          if (where == tb::meta) continue;
          const auto n = static_cast<std::size_t>(x.numel());
          CHECK(values(made[1]) == list(n, 1));
          CHECK(values(made[2]) == list(n, 0));
          CHECK(values(made[3]) == list(n, 1));
          CHECK(values(made[4]) == list(n, 0));
          CHECK(values(made[5]) == list(n, 1));
        }
      }
    }
  }
  CHECK(text_of<tb::error>([] { aten::zeros_like(tensor()); }) == "aten::zeros_like: found an undefined tensor");
}

TEST_CASE("create: the new_ operators use a tensor's dtype and device, and have no gradient", "[ops][create]") {
  const tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}, dtype::float64));
  const tensor made[] = {aten::new_empty(x, sizes{3}), aten::new_zeros(x, sizes{3}), aten::new_ones(x, sizes{3}),
                         aten::new_full(x, sizes{3}, 7), aten::new_empty_strided(x, sizes{3}, sizes{2})};
  for (const tensor& y : made) {
    CHECK(y.dtype() == dtype::float64);
    CHECK(y.sizes() == tb::shape{3});
    CHECK_FALSE(tb::requires_grad(y));
  }
  CHECK_FALSE(tb::requires_grad(aten::zeros_like(x)));
  CHECK(values(made[1]) == list{0, 0, 0});
  CHECK(values(made[2]) == list{1, 1, 1});
  CHECK(values(made[3]) == list{7, 7, 7});
  CHECK(made[4].strides() == tb::shape{2});
  CHECK(aten::new_ones(x, sizes{1}, arg<"device"> = tb::meta, arg<"dtype"> = dtype::int8).device() == tb::meta);
  CHECK(text_of<tb::shape_error>([&] { aten::new_ones(x, sizes{-3}); }) ==
        "aten::new_ones: found sizes [-3], wanted none below 0");
  CHECK(aten::scalar_tensor(3).dtype() == dtype::float32);
  CHECK(values(aten::scalar_tensor(3, arg<"dtype"> = dtype::uint8)) == list{3});
}

TEST_CASE("create: empty_strided has the given strides and enough memory for them", "[ops][create]") {
  for (tb::device where : {tb::cpu, tb::meta}) {
    const auto make = [&](const sizes& s, const sizes& strides) {
      return aten::empty_strided(s, strides, arg<"device"> = where, arg<"dtype"> = dtype::int32);
    };
    const tensor x = make({2, 3}, {1, 5});
    CHECK(x.strides() == tb::shape{1, 5});
    CHECK(tb::author::record_of(x).data->bytes == 12 * 4);
    CHECK(tb::author::record_of(make({4}, {0})).data->bytes == 4);
    CHECK(tb::author::record_of(make({0, 7}, {9, 9})).data->bytes == 0);
    CHECK(make({}, {}).numel() == 1);
    const auto text = [&](const sizes& s, const sizes& strides) {
      return text_of<tb::shape_error>([&] { make(s, strides); });
    };
    CHECK(text({2}, {1, 1}) ==
          "aten::empty_strided: found sizes [2] and strides [1, 1], wanted a stride for each size");
    CHECK(text({2}, {-1}) == "aten::empty_strided: found sizes [2] and strides [-1], wanted no stride below 0");
    CHECK(text({-2}, {1}) == "aten::empty_strided: found sizes [-2], wanted none below 0");
    CHECK(text({3}, {std::int64_t{1} << 62}) ==
          "aten::empty_strided: found sizes [3] and strides [4611686018427387904], wanted no more memory than 64 bits "
          "can count");
  }
}

TEST_CASE("create: out forms write the given tensor, and refuse other shapes before they write", "[ops][create]") {
  tensor out = tensor_of({5, 6}, {2}, dtype::int32);
  CHECK(&aten::empty_out(sizes{2}, std::nullopt, out) == &out);
  CHECK(values(out) == list{5, 6});
  const auto text = [&](auto f) { return text_of<tb::shape_error>(f); };
  CHECK(text([&] { aten::zeros_out(sizes{3}, out); }) ==
        "aten::zeros.out: the result has sizes [3], the tensor to write [2]");
  CHECK(text([&] { aten::full_out(sizes{}, 1, out); }) ==
        "aten::full.out: the result has sizes [], the tensor to write [2]");
  CHECK(values(out) == list{5, 6});
  CHECK(values(aten::full_out(sizes{2}, 3, out)) == list{3, 3});
  CHECK(values(aten::ones_out(sizes{2}, out)) == list{1, 1});
  CHECK(values(aten::zeros_out(sizes{2}, out)) == list{0, 0});
  CHECK(values(aten::fill_Tensor_(out, tensor_of({4.5}, {}))) == list{4, 4});
  CHECK(values(aten::fill_Tensor(out, tensor_of({2}, {}))) == list{2, 2});
  CHECK(text([&] { aten::fill_Tensor_(out, tensor_of({4}, {1})); }) ==
        "aten::fill_.Tensor: found a value of sizes [1], wanted a zero-dimensional one");
  CHECK(values(out) == list{4, 4});
  CHECK(text_of<tb::error>([] {
          aten::empty_memory_format(sizes{2}, arg<"memory_format"> = tb::memory_format::preserve);
        }) == "aten::empty.memory_format: found memory_format preserve, wanted contiguous");
}

TEST_CASE("create: every fill operator writes one value to every element, in every dtype", "[ops][create][property]") {
  support::for_every_dtype(9, 20, [](support::numbers& source, dtype t) {
    const tb::shape given_shape = support::any_long_shape(source, 0, 4, 5);
    const sizes given(given_shape.begin(), given_shape.end());
    const double number = source.whole(0, 1) == 0 ? 2.5 : source.whole(0, 9) == 0 ? 0.0 : 100.25;
    const tb::scalar value(number);
    const std::optional<dtype> type(t);
    const std::optional<tb::layout> how;
    const std::optional<tb::device> where(tb::cpu);
    const std::optional<bool> pinned;
    const std::optional<tb::memory_format> format;
    const auto all = [&](double v) {
      return list(static_cast<std::size_t>(tb::numel(given_shape)), oracle::stored(t, v));
    };
    const auto check = [&](double v, const tensor& found) { support::check_tensor(found, given_shape, t, all(v)); };
    const tensor x = support::any_tensor(source, given_shape, t), other = support::any_tensor(source, {2}, dtype::int8);
    const tensor point = support::tensor_of({number}, {}, source.whole(0, 1) == 0 ? dtype::float64 : dtype::float32);

    const tensor full = support::result_of(aten::full, given, value, type, how, where, pinned);
    check(number, full);
    check(number, support::result_of(aten::full_like, x, value, type, how, where, pinned, format));
    check(number, support::result_of(aten::new_full, other, given, value, type, how, where, pinned));
    check(number, support::result_of(aten::fill_Scalar, x, value));
    check(number, support::result_of(aten::fill_Tensor, x, point));
    check(0, support::result_of(aten::zero, x));
    check(0, support::result_of(aten::zeros_like, x, type, how, where, pinned, format));
    check(1, support::result_of(aten::ones_like, x, type, how, where, pinned, format));
    check(0, support::result_of(aten::new_zeros, other, given, type, how, where, pinned));
    check(1, support::result_of(aten::new_ones, other, given, type, how, where, pinned));
    support::check_tensor(support::result_of(aten::scalar_tensor, value, type, how, where, pinned), {}, t,
                          {oracle::stored(t, number)});
    support::check_out(source, aten::full_out, full, given, value);
    support::check_out(source, aten::zeros_out, support::result_of(aten::zeros, given, type, how, where, pinned),
                       given);
    support::check_out(source, aten::ones_out, support::result_of(aten::ones, given, type, how, where, pinned), given);
    support::check_in_place(source, aten::fill_Scalar, aten::fill_Scalar_, x, value);
    support::check_in_place(source, aten::fill_Tensor, aten::fill_Tensor_, x, point);
    support::check_in_place(source, aten::zero, aten::zero_, x);

    const dtype to = tb::all_dtypes[static_cast<std::size_t>(source.whole(0, 9))];
    list converted;
    for (double v : values(x)) converted.push_back(oracle::stored(to, v));
    support::check_tensor(support::result_of(aten::_to_copy, x, std::optional(to), how, where, pinned, false, format),
                          given_shape, to, converted);
  });
}

namespace {

// A device with memory that the host has no address of, and no kernel.
constexpr tb::device storehouse{tb::backend::HPU, 0};
constexpr std::uintptr_t far_away = std::uintptr_t{1} << 62;
void* flipped(const void* p) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(p) ^ far_away); }
void open_storehouse() {
  tb::set_memory_hook(
      storehouse.type,
      {[](tb::device, std::size_t n) { return flipped(std::malloc(n)); },
       [](tb::device, void* p) noexcept { std::free(flipped(p)); },
       [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(flipped(to), from, n); },
       [](tb::device, void* to, const void* from, std::size_t n) { std::memcpy(to, flipped(from), n); }});
}

}  // namespace

TEST_CASE("create: a device with only a memory hook copies elements through it", "[ops][create][device]") {
  open_storehouse();
  const tensor host = support::numbers(1).tensor({3, 4}, tb::dtype::float32, support::arrangement::dense);
  const tensor there = tb::to(host, storehouse);
  CHECK(there.device() == storehouse);
  CHECK(there.dtype() == tb::dtype::float32);
  CHECK(values(tb::to(there, tb::cpu)) == values(host));
  // Conversions and other orders are the host's work.
  const tensor transposed = aten::transpose_int(there, 0, 1), part = aten::slice_Tensor(transposed, 0, 1, 3);
  CHECK(values(tb::to(part, tb::cpu)) == values(aten::slice_Tensor(aten::transpose_int(host, 0, 1), 0, 1, 3)));
  const tensor wide = aten::_to_copy(transposed, arg<"dtype"> = tb::dtype::float64);
  CHECK(wide.device() == storehouse);
  CHECK(wide.dtype() == tb::dtype::float64);
  CHECK(wide.strides() == tb::shape{1, 4});
  CHECK(values(tb::to(wide, tb::cpu)) == values(aten::transpose_int(host, 0, 1)));
  CHECK(values(tb::to(tb::to(aten::expand(host, sizes{2, 3, 4}), storehouse), tb::cpu)) ==
        values(aten::expand(host, sizes{2, 3, 4})));
  CHECK(tb::to(aten::empty_memory_format(sizes{0, 2}), storehouse).sizes() == tb::shape{0, 2});
  CHECK_THROWS_AS(aten::neg(there), tb::no_kernel);
}

TEST_CASE("create: a gradient is copied back from a device with only a memory hook", "[ops][create][device]") {
  open_storehouse();
  tensor x = tb::require_grad(support::tensor_of({1, 2}, {2}));
  tb::backward(aten::sum(tb::to(tb::to(x, storehouse), tb::cpu) * 3));
  CHECK(values(tb::leaf_grad(x)) == list{3, 3});
}
