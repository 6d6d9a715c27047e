#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/print.h"
#include "support/raises.h"
#include "support/tensor_print.h"
#include "support/tensor_values.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using tb::tensor;
using toy::text_of;

static_assert(sizeof(tensor) == sizeof(void*));
static_assert(std::is_nothrow_move_constructible_v<tensor> && std::is_nothrow_copy_constructible_v<tensor>);
static_assert(tb::author::boxed_inline<tensor>);
static_assert(std::is_same_v<decltype(tensor().dim()), std::int64_t>);

namespace {
tensor fresh() { return tb::author::make_tensor({2, 3}, tb::dtype::float32, tb::cpu); }
}  // namespace

TEST_CASE("handle: a copy is one more reference to the same record", "[tensor][handle]") {
  const tensor a = fresh();
  CHECK(tb::author::record_of(a).references == 1);
  {
    const tensor b = a;
    CHECK(b.same_as(a));
    CHECK(tb::author::record_of(a).references == 2);
    tensor c = b;
    tensor& itself = c;
    c = itself;
    c = std::move(itself);
    CHECK(tb::author::record_of(a).references == 3);
  }
  CHECK(tb::author::record_of(a).references == 1);
  tensor d = fresh(), e = std::move(d);
  CHECK_FALSE(d.defined());
  CHECK(tb::author::record_of(e).references == 1);
  e = a;
  CHECK(tb::author::record_of(a).references == 2);
}

TEST_CASE("handle: an undefined tensor has no sizes, keys or elements, and can be copied", "[tensor][handle]") {
  const tensor none, copy = none;
  CHECK_FALSE(none.defined());
  CHECK(copy.same_as(none));
  CHECK(none.keys().empty());
  CHECK(tb::keys_of(none).empty());
  CHECK(none.sizes() == tb::shape{});
  CHECK(none.data() == nullptr);
  CHECK(none.version() == 0);
  CHECK(text_of<tb::dtype_error>([&] { none.data_ptr<float>(); }) == "data of an undefined tensor: wanted float32");
}

TEST_CASE("handle: undefined tensors do not affect the reference count", "[tensor][handle]") {
  const tensor none;
  const auto before = tb::author::record_of(none).references.load();
  {
    std::vector<tensor> many(1000);
    many.resize(10);
    tensor x = fresh(), y = std::move(x);
    x = std::move(y);
  }
  CHECK(tb::author::record_of(none).references == before);
}

TEST_CASE("handle: metadata", "[tensor][handle]") {
  const tensor t = fresh();
  CHECK(t.defined());
  CHECK(t.dtype() == tb::dtype::float32);
  CHECK(t.device() == tb::cpu);
  CHECK(t.layout() == tb::layout::strided);
  CHECK(t.sizes() == tb::shape{2, 3});
  CHECK(t.strides() == tb::shape{3, 1});
  CHECK(t.dim() == 2);
  CHECK(t.numel() == 6);
  CHECK(t.is_contiguous());
  CHECK(t.keys() == tb::keys_of(tb::layout::strided, tb::cpu, tb::dtype::float32));
  CHECK(t.size(0) == 2);
  CHECK(t.size(-1) == 3);
  CHECK(text_of<tb::shape_error>([&] { t.size(2); }) == "size: found dimension 2, wanted -2 to 1");
}

TEST_CASE("handle: views share storage and version, and keep it alive", "[tensor][handle]") {
  tensor base = fresh();
  const tensor view = tb::author::make_view(base, {3}, {1}, 3), other = tb::author::make_view(view, {2}, {1}, 4);
  CHECK(tb::author::record_of(view).data->references == 3);
  CHECK_FALSE(view.same_as(base));
  CHECK(static_cast<std::byte*>(view.data()) == static_cast<std::byte*>(base.data()) + 3 * sizeof(float));
  CHECK(static_cast<std::byte*>(other.data()) == static_cast<std::byte*>(base.data()) + 4 * sizeof(float));
  tb::author::bump_version(view);
  CHECK(base.version() == 1);
  CHECK(other.version() == 1);
  CHECK(fresh().version() == 0);
  base = {};
  CHECK(tb::author::record_of(view).data->references == 2);
  view.data_ptr<float>()[0] = 5;
  CHECK(view.version() == 1);
}

TEST_CASE("handle: elements are accessible in their own type, and on the host only", "[tensor][handle]") {
  const tensor t = tb::from_values({1.5F, 2.5F}, {2});
  CHECK(t.data_ptr<float>()[1] == 2.5F);
  CHECK(text_of<tb::dtype_error>([&] { t.data_ptr<double>(); }) ==
        "data of a tensor: found float32, wanted float64; convert it with to()");
  const tensor given_shape = tb::author::make_tensor({2}, tb::dtype::float32, tb::meta);
  CHECK(text_of<tb::device_error>([&] { given_shape.data_ptr<float>(); }) ==
        "data of a tensor: found it on meta, wanted cpu; move it with to(), or take its address with data()");
}

TEST_CASE("handle: threads may share a tensor", "[tensor][handle][threads]") {
  const tensor t = fresh(), view = tb::author::make_alias(t);
  const auto work = [&] {
    for (int i = 0; i < 20000; ++i) {
      tensor copy = t, none, moved = std::move(copy);
      tb::author::bump_version(moved);
    }
  };
  std::thread other(work);
  work();
  other.join();
  CHECK(tb::author::record_of(t).references == 1);
  CHECK(t.version() == 40000);
}

TEST_CASE("handle: a layer's extension is destroyed with the tensor", "[tensor][handle]") {
  struct extension final : tb::tensor_extension {
    explicit extension(int& alive) : alive_(alive) { ++alive_; }
    ~extension() override { --alive_; }
    int& alive_;
  };
  int alive = 0;
  {
    const tensor t = fresh(), copy = t;
    tb::author::record_of(t).extension = tb::intrusive_ptr<tb::tensor_extension>(new extension(alive));
    CHECK(tb::author::record_of(copy).extension.get() != nullptr);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}
