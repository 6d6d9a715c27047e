// Checks that all forms of an elementwise operator (functional, in-place, out, meta) agree, for any memory arrangement
// and any overlap of result and operands. Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "support/exact_values.h"
#include "support/raises.h"
#include "support/tensor_print.h"

import topbit;

namespace support {

/// The names of an operator's forms; empty if there is none.
struct forms {
  std::string functional, in_place, out;
};
using arguments = std::vector<tb::value>;

/// Calls an operator by name. `self`: first argument of an in-place form; `out`: last argument of an out form.
inline tb::tensor call_form(const std::string& name, const arguments& given, tb::tensor* self = nullptr,
                            tb::tensor* out = nullptr) {
  tb::inline_stack<8> s;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (k == 0 && self != nullptr)
      s.push(tb::value::refer(*self));
    else
      s.push(given[k]);
  }
  if (out != nullptr) s.push(tb::value::refer(*out));
  tb::find(name).call_boxed(s);
  return s.pop().get<tb::tensor>();
}

/// Copies the arguments, with the tensors on a device.
inline arguments twins_of(const arguments& given, tb::device where) {
  arguments all;
  for (const tb::value& v : given) all.push_back(v.is<tb::tensor>() ? tb::value(twin(v.get<tb::tensor>(), where)) : v);
  return all;
}

inline std::vector<extended> stored_as(tb::dtype t, const std::vector<extended>& all) {
  std::vector<extended> out;
  for (extended x : all) out.push_back(oracle::stored(t, x));
  return out;
}

/// The out form writes `result` into memory of any arrangement, and no other byte of it.
inline void check_out(const forms& f, const arguments& given, const tb::tensor& result, edge_numbers& source) {
  if (f.out.empty()) return;
  const std::vector<extended> wanted = exact_values(result);
  tb::tensor out = source.memory(result.sizes(), result.dtype(), true);
  const tb::tensor before = twin(out, tb::cpu);
  CHECK(call_form(f.out, given, nullptr, &out).same_as(out));
  CHECK(disagreement(out, wanted, 0) == "");
  const tb::tensor after = twin(out, tb::cpu);
  each_index(out.sizes(),
             [&](const tb::shape& i) { std::memcpy(address(after, i), address(before, i), tb::size_of(out.dtype())); });
  CHECK(bytes(after) == bytes(before));
}

/// The result may be any of the operands, or overlap the first one shifted by one element.
inline void check_aliases(const forms& f, const arguments& given, const tb::tensor& result) {
  if (f.out.empty()) return;
  const std::vector<extended> wanted = exact_values(result);
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (!given[k].is<tb::tensor>()) continue;
    arguments again = twins_of(given, tb::cpu);
    tb::tensor out = again[k].get<tb::tensor>();
    if (out.sizes() != result.sizes() || !tb::can_cast(result.dtype(), out.dtype())) continue;
    if (!tb::author::has_distinct_elements(out)) continue;
    call_form(f.out, again, nullptr, &out);
    CHECK(disagreement(out, stored_as(out.dtype(), wanted), 0) == "");
  }
  if (given.empty() || !given[0].is<tb::tensor>()) return;
  const tb::tensor& first = given[0].get<tb::tensor>();
  if (first.sizes() != result.sizes() || first.dtype() != result.dtype()) return;
  const tb::tensor whole = tb::author::make_tensor({result.numel() + 1}, result.dtype(), tb::cpu);
  const tb::shape strides = tb::dense_strides(first.sizes());
  const tb::tensor in = tb::author::make_view(whole, first.sizes(), strides, 0);
  tb::tensor out = tb::author::make_view(whole, first.sizes(), strides, 1);
  each_index(first.sizes(), [&](const tb::shape& i) { put(in, i, exact(first, i)); });
  arguments again = given;
  again[0] = tb::value(in);
  call_form(f.out, again, nullptr, &out);
  CHECK(disagreement(out, wanted, 0) == "");
}

/// The in-place form gives the functional result in self's dtype. It throws and writes nothing if that would lose the
/// category or change the sizes.
inline void check_in_place(const forms& f, const arguments& given, const tb::tensor& result) {
  if (f.in_place.empty()) return;
  const arguments again = twins_of(given, tb::cpu);
  tb::tensor self = again[0].get<tb::tensor>();
  if (!tb::author::has_distinct_elements(self)) return;
  if (self.sizes() != result.sizes() || !tb::can_cast(result.dtype(), self.dtype())) {
    const auto before = bytes(self);
    CHECK_THROWS_AS(call_form(f.in_place, again, &self), tb::error);
    CHECK(bytes(self) == before);
    return;
  }
  CHECK(call_form(f.in_place, again, &self).same_as(self));
  CHECK(disagreement(self, stored_as(self.dtype(), exact_values(result)), 0) == "");
}

/// The functional form on meta gives the same sizes, strides and dtype.
inline void check_meta(const forms& f, const arguments& given, const tb::tensor& result) {
  const tb::tensor there = call_form(f.functional, twins_of(given, tb::meta));
  CHECK(there.device() == tb::meta);
  CHECK((there.sizes() == result.sizes() && there.strides() == result.strides() && there.dtype() == result.dtype()));
}

/// The broadcast shape; the operands must be compatible.
inline tb::shape broadcast_sizes(const std::vector<tb::tensor>& in) {
  std::size_t rank = 0;
  for (const tb::tensor& t : in) rank = std::max(rank, t.sizes().size());
  tb::shape sizes(rank, 1);
  for (const tb::tensor& t : in) {
    for (std::size_t d = 0; d < t.sizes().size(); ++d) {
      if (t.sizes()[d] != 1) sizes[rank - t.sizes().size() + d] = t.sizes()[d];
    }
  }
  return sizes;
}

/// Compares the functional form with `wanted(numbers of an element)`, each operand converted to the compute type of
/// `type`, then all other forms with the functional one.
template <class Wanted>
void check_forms(const forms& f, const arguments& given, tb::dtype type, tb::dtype gives, extended units,
                 edge_numbers& source, Wanted wanted) {
  std::vector<tb::tensor> in;
  std::string text = f.functional;
  for (const tb::value& v : given) {
    if (v.is<tb::tensor>()) in.push_back(v.get<tb::tensor>());
    text += v.is<tb::tensor>() ? " " + std::string(tb::name_of(in.back().dtype())) + tb::to_string(in.back().sizes())
                               : " " + tb::to_string(v);
  }
  INFO(text);
  const tb::tensor y = call_form(f.functional, given);
  REQUIRE(y.dtype() == gives);
  const tb::shape sizes = broadcast_sizes(in);
  REQUIRE(y.sizes() == sizes);
  std::vector<approximately> all;
  each_index(sizes, [&](const tb::shape& i) {
    extended x[4] = {};
    for (std::size_t k = 0; k < in.size(); ++k) {
      x[k] = oracle::stored(computed_in(type), exact(in[k], broadcast_index(i, in[k].sizes())));
    }
    all.push_back(wanted(static_cast<const extended*>(x)));
  });
  REQUIRE(disagreement(y, all, units) == "");
  check_out(f, given, y, source);
  check_aliases(f, given, y);
  check_in_place(f, given, y);
  check_meta(f, given, y);
}

}  // namespace support
