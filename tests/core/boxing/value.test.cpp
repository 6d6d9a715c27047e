#include <catch2/catch_test_macros.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/allocations.h"
#include "support/print.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
namespace key = topbit::key;
using namespace std::literals;
using tb::value;
using toy::tensor;

// Readable type names leave out topbit, so this and topbit::thread_key_state have the same name.
struct thread_key_state {
  std::int64_t number;
};

TEST_CASE("value: is 16 bytes", "[core][value]") { STATIC_REQUIRE(sizeof(value) == 16); }

TEST_CASE("value: is none by default and after being moved from", "[core][value]") {
  value v;
  CHECK(v.is_none());
  CHECK(v.type_name() == "none");
  CHECK(v.keys().empty());
  CHECK_FALSE(v.is<std::int64_t>());
  value w(1.5);
  v = std::move(w);
  CHECK(w.is_none());
  CHECK(v.get<double>() == 1.5);
}

TEST_CASE("value: holds exactly the type it was given", "[core][value]") {
  CHECK(value(std::int64_t{3}).is<std::int64_t>());
  CHECK_FALSE(value(std::int64_t{3}).is<int>());
  CHECK_FALSE(value(3).is<std::int64_t>());
  CHECK(value(true).type_name() == "bool");
  CHECK(value(toy::image{}).type_name() == "toy::image");
}

TEST_CASE("value: two types of the same readable name are still two types", "[core][value]") {
  REQUIRE(tb::type_name<::thread_key_state>() == tb::type_name<tb::thread_key_state>());
  CHECK_FALSE(value(::thread_key_state{1}).is<tb::thread_key_state>());
}

TEST_CASE("value: borrowing takes no reference and no memory", "[core][value]") {
  const tensor t(key::CPU);
  const toy::image i{key::CUDA, 1, 2};
  const std::string_view s = "text";
  const auto memory = toy::allocations();
  tensor::references_taken = 0;
  {
    const value a = value::borrow(t), b = value::borrow(i), c = value::borrow(s), d = value::borrow(std::int64_t{1});
    CHECK(a.is_borrowed());
    CHECK(&b.get<toy::image>() == &i);
    CHECK(c.get<std::string_view>().data() == s.data());
    CHECK_FALSE(d.is_borrowed());  // the bytes are all there is
    CHECK(a.keys() == tb::key_set(key::CPU));
  }
  CHECK(toy::allocations() == memory);
  CHECK(tensor::references_taken == 0);
  CHECK(t.count() == 1);
}

TEST_CASE("value: copying a borrowed value makes an owned one, moving keeps it borrowed", "[core][value]") {
  const tensor t(key::CPU);
  value borrowed = value::borrow(t);
  {
    const value copy = borrowed;
    CHECK_FALSE(copy.is_borrowed());
    CHECK(t.count() == 2);
    CHECK(copy.get<tensor>().is_same(t));
  }
  CHECK(t.count() == 1);
  tensor::references_taken = 0;
  const value moved = std::move(borrowed);
  CHECK(moved.is_borrowed());
  CHECK(borrowed.is_none());
  CHECK(tensor::references_taken == 0);
}

TEST_CASE("value: make_owned() turns a loan into a copy", "[core][value]") {
  toy::image i{key::CPU, 1, 2};
  value v = value::borrow(i);
  v.make_owned();
  CHECK_FALSE(v.is_borrowed());
  CHECK(&v.get<toy::image>() != &i);
  CHECK(v.get<toy::image>().height == 2);
  v.make_owned();
  CHECK_FALSE(v.is_borrowed());
}

TEST_CASE("value: what is moved in is not copied, and is destroyed with it", "[core][value]") {
  tensor t(key::CPU);
  const tensor watch = t;
  tensor::references_taken = 0;
  {
    const value v(std::move(t));
    CHECK(tensor::references_taken == 0);
    CHECK(watch.count() == 2);
  }
  CHECK(watch.count() == 1);
}

TEST_CASE("value: assignment destroys the previous value", "[core][value]") {
  const tensor first(key::CPU), second(key::CUDA);
  value v(first);
  CHECK(first.count() == 2);
  v = value(second);
  CHECK(first.count() == 1);
  CHECK(second.count() == 2);
  const value& same = v;
  v = same;
  CHECK(v.get<tensor>().is_same(second));
  CHECK(second.count() == 2);
  v = value();
  CHECK(second.count() == 1);
}

TEST_CASE("value: a string is held as a view over characters of its own", "[core][value]") {
  value v = [] {
    const std::string long_text(100, 'x');
    return value(long_text);
  }();
  REQUIRE(v.is<std::string_view>());
  CHECK(v.get<std::string_view>() == std::string(100, 'x'));
  const value copy = v;
  CHECK(copy.get<std::string_view>().data() != v.get<std::string_view>().data());
  CHECK(value("literal"sv).get<std::string_view>() == "literal");
}

TEST_CASE("value: a copy of a borrowed string outlives the original", "[core][value]") {
  const value kept = [] {
    const std::string lender(100, 'y');
    const std::string_view view = lender;
    const value borrowed = value::borrow(view);
    return value(borrowed);
  }();
  CHECK(kept.get<std::string_view>() == std::string(100, 'y'));
}

TEST_CASE("value: a vector is held as a span over elements of its own", "[core][value]") {
  const tensor t(key::SparseCPU);
  value v(std::vector{t, tensor(key::CUDA)});
  REQUIRE(v.is<std::span<const tensor>>());
  CHECK(v.get<std::span<const tensor>>().size() == 2);
  CHECK(v.keys() == tb::key_set{key::SparseCPU, key::CUDA});
  const auto before = t.count();
  {
    const value copy = v;
    CHECK(t.count() == before + 1);
    CHECK(copy.get<std::span<const tensor>>()[0].is_same(t));
  }
  CHECK(t.count() == before);
}

TEST_CASE("value: a word that is trivial, or says it may be moved as bytes, sits in the value", "[core][value]") {
  STATIC_REQUIRE(tb::author::boxed_inline<double>);
  STATIC_REQUIRE(tb::author::boxed_inline<toy::device>);
  STATIC_REQUIRE(tb::author::boxed_inline<tensor>);
  STATIC_REQUIRE_FALSE(tb::author::boxed_inline<std::unique_ptr<int>>);  // misses by not saying so
  STATIC_REQUIRE_FALSE(tb::author::boxed_inline<toy::image>);            // misses by its size
  const auto memory = toy::allocations();
  const value v(toy::device{tb::backend::CUDA});
  CHECK(toy::allocations() == memory);
  CHECK(v.get<toy::device>().where == tb::backend::CUDA);
}

TEST_CASE("value: one that refers is written through, and a copy of it is not", "[core][value]") {
  int n = 1;
  tb::value v = tb::value::refer(n);
  CHECK(v.is_reference());
  v.write<int>() = 2;
  CHECK(n == 2);
  tb::value copy = v;
  copy.write<int>() = 3;
  CHECK(n == 2);
  CHECK(!copy.is_borrowed());
  v.make_owned();
  v.write<int>() = 4;
  CHECK(n == 2);
}
