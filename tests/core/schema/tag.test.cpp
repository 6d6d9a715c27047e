#include <catch2/catch_test_macros.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/raises.h"
#include "support/toy.h"
import topbit.core;

namespace tb = topbit;
using tb::tag;
using tb::tag_set;
using toy::text_of;

namespace {

inline constexpr tb::op<"tag::noise(Tensor self) -> Tensor"> noise;
inline constexpr tb::op<"tag::part(Tensor(a) self) -> Tensor(a)"> part;
inline constexpr tb::op<"tag::flip_(Tensor(a!) self) -> Tensor(a!)"> flip_;

toy::tensor copied(const toy::tensor& x) { return x; }

tag_set derived(std::string_view schema) { return tb::author::derived_tags(tb::schema(schema).view()); }

}  // namespace

TEST_CASE("tag: names and sets", "[core][tag]") {
  CHECK(tb::name_of(tag::dynamic_output_shape) == "dynamic_output_shape");
  CHECK(tb::name_of(tag::view_copy) == "view_copy");
  constexpr tag_set some{tag::random, tag::view};
  static_assert(some.contains(tag::view) && !some.contains(tag::pointwise));
  CHECK(to_string(some) == "view, random");
  CHECK(some.list() == std::vector{tag::view, tag::random});
  CHECK(to_string(tag_set()).empty());
  CHECK((tag_set(tag::view) | tag::random) == some);
}

TEST_CASE("tag: views and random numbers follow from schemas", "[core][tag]") {
  CHECK(derived("f(Tensor(a) self, int dim) -> Tensor(a)") == tag::view);
  CHECK(derived("f(Tensor(a -> *) self) -> Tensor(a)[]") == tag::view);
  CHECK(derived("f(Tensor(a!) self) -> Tensor(a!)").empty());
  CHECK(derived("f(Tensor self) -> Tensor").empty());
  CHECK(derived("f(Tensor self, *, Generator? generator=None) -> Tensor") == tag::random);
}

TEST_CASE("tag: an operator has the tags of the blocks that live", "[core][tag]") {
  tb::registry r;
  auto lib = tb::library("tag", r).def(noise).def(part).impl<&copied>(noise, tb::key::CPU);
  const tb::operator_handle h = r.find("tag::noise");
  CHECK(h.tags().empty());
  CHECK(r.find("tag::part").tags() == tag::view);
  {
    auto first = tb::fragment("tag", r).tag(noise, tag::random);
    auto second = tb::fragment("tag", r).tag("noise", {tag::random, tag::pointwise});
    CHECK(h.tags() == tag_set{tag::random, tag::pointwise});
    second.reset();
    CHECK(h.tags() == tag::random);
    CHECK(dump(h).tags == tag::random);
    CHECK(to_string(dump(h)).find("  tags      random\n") != std::string::npos);
    CHECK(tb::inspect::to_json(dump(h)).find(R"("tags":["random"])") != std::string::npos);
  }
  CHECK(h.tags().empty());
  CHECK(to_string(dump(h)).find("tags") == std::string::npos);
}

TEST_CASE("tag: rows tag operators", "[core][tag]") {
  tb::registry r;
  static constexpr tb::author::kernel_row rows[] = {tb::author::define(noise),
                                                    tb::author::tagged(noise, {tag::random, tag::effect})};
  tb::author::register_rows(rows, r);
  CHECK(r.find("tag::noise").tags() == tag_set{tag::random, tag::effect});
}

TEST_CASE("tag: one that contradicts the schema is refused, and nothing changes", "[core][tag]") {
  tb::registry r;
  auto lib = tb::library("tag", r).def(noise).def(flip_).def(part);
  const auto refused = [&](const auto& op, tag t) {
    return text_of<tb::bad_registration>([&] { auto block = tb::fragment("tag", r).tag(op, t); });
  };
  CHECK(refused(noise, tag::view).starts_with("tag::noise: tagged at "));
  CHECK(refused(noise, tag::view)
            .ends_with(" as view: found no result that shares an argument's memory, wanted one in "
                       "an alias set, as in 'Tensor(a)'"));
  CHECK(refused(noise, tag::inplace_view).find("as inplace_view: found no argument that is written") !=
        std::string::npos);
  CHECK(refused(part, tag::view_copy).find("as view_copy: found a result that shares") != std::string::npos);
  CHECK(r.find("tag::noise").tags().empty());
  const auto flips = tb::fragment("tag", r).tag(flip_, tag::inplace_view);
  CHECK(r.find("tag::flip_").tags() == tag::inplace_view);
  CHECK(text_of<tb::bad_registration>([&] {
          auto block = tb::fragment("tag", r).tag("nowhere", tag::random);
        }).find("a name brings no signature, and no operator of this name is defined") != std::string::npos);
  CHECK(refused(flip_, tag::view).find("as view: found an argument that is written") != std::string::npos);
}

TEST_CASE("tag: the order of tags and definitions does not matter", "[core][tag]") {
  tb::registry r;
  const auto early = tb::fragment("tag", r).tag(part, tag::view);
  {
    const auto lib = tb::library("tag", r).def(part);
    CHECK(r.find("tag::part").tags() == tag::view);
  }
  // The same C++ signature, and another schema.
  CHECK(text_of<tb::bad_registration>([&] {
          const auto lib = tb::library("tag", r).def("part(Tensor self) -> Tensor");
        }).find("as view: found no result that shares") != std::string::npos);
  CHECK(r.try_find("tag::part") == std::nullopt);
}

TEST_CASE("tag: another signature than the operator's is refused", "[core][tag]") {
  tb::registry r;
  const auto lib = tb::library("tag", r).def(noise);
  static constexpr tb::op<"tag::noise(Tensor self, int times) -> Tensor"> other;
  CHECK(text_of<tb::bad_registration>([&] {
          const auto block = tb::fragment("tag", r).tag(other, tag::random);
        }).find("with the signature") != std::string::npos);
}
