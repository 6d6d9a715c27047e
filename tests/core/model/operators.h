// The real operators of the walk and their kernels. A kernel is a number: it notes the number and the keys it received,
// and answers with the number. Nothing here knows what is right.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/naive_registry.h"
#include "support/toy.h"

namespace model {

// More of them than there usually are registrations, so that a number names one registration.
inline constexpr int typed_kernels = 32, boxed_kernels = 12, fallback_kernels = 32;
inline constexpr int first_boxed = typed_kernels, first_fallback = typed_kernels + boxed_kernels;

struct heard {
  int kernel = nobody;
  tb::key_set keys;
};
inline heard last_heard;

template <int Id, class Sig>
struct numbered;
template <int Id, class R, class... A>
struct numbered<Id, R(A...)> {
  static R run(tb::key_set keys, A...) {
    last_heard = {Id, keys};
    return Id;
  }
};
template <int Id>
void numbered_boxed(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
  last_heard = {Id, keys};
  s.drop(op.argument_count());
  s.push(std::int64_t{Id});
}

// What a call is made with; an operator takes of it what it has arguments for.
struct given {
  naive_key_set first, second;
  tb::backend device = tb::backend::CPU;
};

inline tb::key_set real(const naive_key_set& s) {
  tb::key_set keys;
  for (auto f : s.layers) keys = keys | tb::key_set(tb::building_block{f});
  for (auto b : s.backends) keys = keys | tb::key_set(b);
  return keys;
}
inline toy::image image_of(const naive_key_set& s) { return {real(s), 0, 0}; }
inline toy::tensor tensor_of(const naive_key_set& s) {
  return s.layers.empty() && s.backends.empty() ? toy::tensor() : toy::tensor(real(s));
}

// One declared operator each: its declarations, one per schema text, the texts as the registry shows them, and how it
// is called.
struct of_image {
  static constexpr std::tuple<tb::op<"model::image", std::int64_t(const toy::image&)>> declared{};
  static constexpr std::array<std::string_view, 1> texts{"model::image(toy::image _0) -> int"};
  static constexpr bool selects_backend = false;
  static auto values(const given& g) { return std::tuple(image_of(g.first)); }
  static std::vector<naive_key_set> keys(const given& g) { return {g.first}; }
};
struct of_image_and_number {  // the same name, another signature
  static constexpr std::tuple<tb::op<"model::image", std::int64_t(const toy::image&, std::int64_t)>> declared{};
  static constexpr std::array<std::string_view, 1> texts{"model::image(toy::image _0, int _1) -> int"};
  static constexpr bool selects_backend = false;
  static auto values(const given& g) { return std::tuple(image_of(g.first), std::int64_t{7}); }
  static std::vector<naive_key_set> keys(const given& g) { return {g.first, {}}; }
};
struct of_tensors {  // two texts of one signature
  static constexpr std::tuple<tb::op<"model::tensors(Tensor self, Tensor other, *, int n=1) -> int">,
                              tb::op<"model::tensors(Tensor self, Tensor other, *, int n=2) -> int">>
      declared{};
  static constexpr std::array<std::string_view, 2> texts{
      "model::tensors(Tensor self, Tensor other, *, int n=1) -> int",
      "model::tensors(Tensor self, Tensor other, *, int n=2) -> int"};
  static constexpr bool selects_backend = false;
  static auto values(const given& g) { return std::tuple(tensor_of(g.first), tensor_of(g.second), std::int64_t{1}); }
  static std::vector<naive_key_set> keys(const given& g) { return {g.first, g.second, {}}; }
};
struct of_device {
  static constexpr std::tuple<tb::op<"model::device(Device device, int n) -> int">> declared{};
  static constexpr std::array<std::string_view, 1> texts{"model::device(Device device, int n) -> int"};
  static constexpr bool selects_backend = true;
  static auto values(const given& g) { return std::tuple(toy::device{g.device}, std::int64_t{1}); }
  static std::vector<naive_key_set> keys(const given&) { return {{}, {}}; }
};
struct of_number {
  static constexpr std::tuple<tb::op<"model::number(int n) -> int">> declared{};
  static constexpr std::array<std::string_view, 1> texts{"model::number(int n) -> int"};
  static constexpr bool selects_backend = false;
  static auto values(const given&) { return std::tuple(std::int64_t{1}); }
  static std::vector<naive_key_set> keys(const given&) { return {{}}; }
};

enum class way { typed_call, boxed_call, typed_redispatch, boxed_redispatch };
constexpr std::string_view name_of(way w) {
  constexpr std::array<std::string_view, 4> names{"typed call", "boxed call", "typed redispatch", "boxed redispatch"};
  return names[static_cast<std::size_t>(w)];
}

// The same without types.
struct real_operator {
  operator_facts facts;
  void (*define)(tb::library_block&, std::size_t text);
  void (*implement)(tb::library_block&, int id, tb::key_target);
  // A kernel, a fallthrough and the definition, for good; where one of them is refused, bad_registration and none.
  void (*add_rows)(tb::registry&, tb::key_target);
  std::int64_t (*run)(way, const tb::operator_handle&, const given&, tb::key_set);
  std::vector<naive_key_set> (*keys)(const given&);
};

template <class Declared>
struct described {
  static constexpr auto op = std::get<0>(Declared::declared);
  using signature = decltype(op)::signature;

  static void define(tb::library_block& block, std::size_t text) {
    if constexpr (std::tuple_size_v<decltype(Declared::declared)> > 1) {
      if (text == 1) return void(block.def(std::get<1>(Declared::declared)));
    }
    block.def(op);
  }

  using adder = void (*)(tb::library_block&, tb::key_target);
  template <int... I>
  static constexpr std::array<adder, sizeof...(I)> typed_adders(std::integer_sequence<int, I...>) {
    return {+[](tb::library_block& b, tb::key_target t) { b.impl<&numbered<I, signature>::run>(op, t); }...};
  }
  template <int... I>
  static constexpr std::array<adder, sizeof...(I)> boxed_adders(std::integer_sequence<int, I...>) {
    return {+[](tb::library_block& b, tb::key_target t) { b.impl_boxed<&numbered_boxed<first_boxed + I>>(op, t); }...};
  }
  static void implement(tb::library_block& block, int id, tb::key_target target) {
    static constexpr auto typed = typed_adders(std::make_integer_sequence<int, typed_kernels>{});
    static constexpr auto boxed = boxed_adders(std::make_integer_sequence<int, boxed_kernels>{});
    if (id == falls_through)
      block.fallthrough(op, target);
    else if (id < first_boxed)
      typed[static_cast<std::size_t>(id)](block, target);
    else
      boxed[static_cast<std::size_t>(id - first_boxed)](block, target);
  }
  static void add_rows(tb::registry& r, tb::key_target target) {
    const std::array rows{tb::author::row<&numbered<0, signature>::run>(op, target),
                          tb::author::fallthrough_row(op, target), tb::author::define(op)};
    tb::author::register_rows(rows, r);
  }

  static std::int64_t run(way w, const tb::operator_handle& handle, const given& g, tb::key_set keys) {
    const auto values = Declared::values(g);
    return std::apply(
        [&](const auto&... x) -> std::int64_t {
          if (w == way::typed_call) return handle.typed<signature>()(x...);
          if (w == way::typed_redispatch) return handle.typed<signature>().redispatch(keys, x...);
          tb::boxed_stack s;
          (s.push(x), ...);
          w == way::boxed_call ? handle.call_boxed(s) : handle.redispatch_boxed(keys, s);
          return s.size() == 1 ? s[0].get<std::int64_t>() : nobody;
        },
        values);
  }

  static real_operator make() {
    operator_facts facts{std::string(op.name()), {}, Declared::selects_backend};
    facts.texts.assign(Declared::texts.begin(), Declared::texts.end());
    return {std::move(facts), &define, &implement, &add_rows, &run, &Declared::keys};
  }
};

inline std::vector<real_operator> make_operators() {
  return {described<of_image>::make(), described<of_image_and_number>::make(), described<of_tensors>::make(),
          described<of_device>::make(), described<of_number>::make()};
}

template <int... I>
constexpr auto make_fallbacks(std::integer_sequence<int, I...>) {
  using adder = tb::registration (*)(tb::registry&, tb::key_target);
  return std::array<adder, sizeof...(I)>{
      +[](tb::registry& r, tb::key_target t) { return tb::fallback<&numbered_boxed<first_fallback + I>>(t, r); }...};
}
// A boxed fallback, or one that calls pass through.
inline tb::registration add_fallback(tb::registry& r, int id, tb::key_target target) {
  static constexpr auto boxed = make_fallbacks(std::make_integer_sequence<int, fallback_kernels>{});
  if (id != falls_through) return boxed[static_cast<std::size_t>(id - first_fallback)](r, target);
  return tb::fallthrough(target, r);
}

}  // namespace model
