// Tensors of other layouts, read from the texts of the files and compared with them. Include this after every other
// header: it imports.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "data.h"
#include "golden/compare.h"

import topbit;
import topbit.quantized;
import topbit.sparse;

namespace layout_golden {

namespace tb = topbit;

/// Where cases are replayed: the CPU, or a device that has to agree with it.
inline tb::device tested = tb::cpu;

inline tb::tensor read_strided(std::string_view text) {
  return tb::to(tb::author::read_text<tb::tensor>(text), tested);
}

inline tb::shape read_sizes(std::string_view text) {
  return tb::shape(tb::author::read_text<std::vector<std::int64_t>>(text));
}

/// A sparse tensor with these values in place of those of the text, if they are defined.
inline std::optional<tb::tensor> read_sparse(std::string_view text, const tb::tensor& values = {}) {
  const auto of = [&](const std::string& part) { return values.defined() ? values : read_strided(part); };
  if (const auto p = parts_in(text, "coo"); !p.empty()) {
    return tb::sparse::coo_of(read_strided(p.at(0)), of(p.at(1)), read_sizes(p.at(2)), p.at(3) == "coalesced");
  }
  for (const auto& [kind, how] : {std::pair{"csr", tb::layout::sparse_csr}, {"csc", tb::layout::sparse_csc}}) {
    if (const auto p = parts_in(text, kind); !p.empty()) {
      return tb::sparse::compressed_of(how, read_strided(p.at(0)), read_strided(p.at(1)), of(p.at(2)),
                                       read_sizes(p.at(3)));
    }
  }
  return std::nullopt;
}

/// "quantized{per_channel axis=0 bits=8 | codes | scales | offsets | float32 [4, 6]}"
inline tb::tensor read_quantized(std::string_view text) {
  const auto p = parts_in(text, "quantized");
  const std::size_t space = p.at(4).find(' ');
  const tb::tensor offsets = p.at(3) == "None" ? tb::tensor() : read_strided(p.at(3));
  return tb::quantized::from_parts(tb::quantized::parse_scheme(p.at(0)), read_sizes(p.at(4).substr(space + 1)),
                                   tb::author::read_text<tb::dtype>(p.at(4).substr(0, space)), read_strided(p.at(1)),
                                   read_strided(p.at(2)), offsets);
}

/// Any tensor; `values`, if defined, in place of a sparse tensor's values or of the whole of a strided one.
inline tb::tensor read_tensor(std::string_view text, const tb::tensor& values = {}) {
  if (std::optional<tb::tensor> s = read_sparse(text, values)) return *s;
  if (text.starts_with("quantized{")) return read_quantized(text);
  return values.defined() ? values : read_strided(text);
}

inline std::string difference(const tb::tensor& found, std::string_view wanted, const golden::rules& how);

inline std::string part_difference(const char* name, const tb::tensor& found, const tb::tensor& wanted,
                                   const golden::rules& how) {
  std::string text = golden::difference(found, tb::to(wanted, tb::cpu), how);
  return text.empty() ? text : std::string(name) + ": " + text;
}

inline std::string coo_difference(tb::tensor found, const std::vector<std::string>& p, const golden::rules& how) {
  const bool flag = tb::sparse::coo_parts(found).coalesced;
  tb::tensor wanted = *read_sparse("coo{" + p.at(0) + " | " + p.at(1) + " | " + p.at(2) + " | " + p.at(3) + "}");
  if (p.at(3) == "sum") {
    found = tb::coalesce(found);
    wanted = tb::coalesce(wanted);
  } else if (flag != (p.at(3) == "coalesced")) {
    return std::string("found a tensor that is ") + (flag ? "" : "not ") + "coalesced: " + to_string(found);
  }
  const auto &f = tb::sparse::coo_parts(found), &w = tb::sparse::coo_parts(wanted);
  const std::string text = part_difference("indices", f.indices, w.indices, {});
  return text.empty() ? part_difference("values", f.values, w.values, how) : text;
}

inline std::string compressed_difference(const tb::tensor& found, const tb::tensor& wanted, const golden::rules& how) {
  const auto &f = tb::sparse::compressed_parts(found), &w = tb::sparse::compressed_parts(wanted);
  // Which integers the indices of a new tensor are is not asked.
  const auto index = [](const tb::tensor& t) { return tb::to(t, tb::dtype::int64); };
  std::string text = part_difference("compressed indices", index(f.compressed), index(w.compressed), {});
  if (text.empty()) text = part_difference("plain indices", index(f.plain), index(w.plain), {});
  return text.empty() ? part_difference("values", f.values, w.values, how) : text;
}

/// Empty if they agree, else a sentence.
inline std::string difference(const tb::tensor& found, std::string_view wanted, const golden::rules& how) {
  if (const auto p = parts_in(wanted, "quantized"); !p.empty()) {
    if (found.layout() != tb::layout::quantized) return "found " + to_string(found) + ", wanted a quantized tensor";
    std::string text = part_difference("codes", tb::int_repr(found), read_strided(p.at(0)), {});
    return text.empty() ? part_difference("values", tb::dequantize(found), read_strided(p.at(1)), how) : text;
  }
  const std::optional<tb::tensor> sparse = read_sparse(wanted);
  const tb::layout layout = sparse ? sparse->layout() : tb::layout::strided;
  const tb::tensor w = sparse ? *sparse : tb::author::read_text<tb::tensor>(wanted);
  if (!found.defined() || found.layout() != layout || found.sizes() != w.sizes() || found.dtype() != w.dtype()) {
    return "found " + to_string(found, {.one_line = true}) + ", wanted " + to_string(w, {.one_line = true});
  }
  if (layout == tb::layout::strided) return golden::difference(found, w, how);
  if (layout == tb::layout::sparse_coo) return coo_difference(found, parts_in(wanted, "coo"), how);
  return compressed_difference(found, w, how);
}

/// The same of a boxed result.
inline std::string difference(const tb::value& found, std::string_view wanted, const golden::rules& how) {
  if (found.is<tb::tensor>()) return difference(found.get<tb::tensor>(), wanted, how);
  const std::vector<std::string> all = list_in(wanted);
  if (!found.is<std::span<const tb::tensor>>() || all.empty()) {
    return golden::difference(found, wanted, how, [](const tb::tensor& t) { return t; });
  }
  const auto list = found.get<std::span<const tb::tensor>>();
  if (list.size() != all.size()) {
    return "found a list of " + std::to_string(list.size()) + ", wanted " + std::to_string(all.size());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (std::string text = difference(list[i], all[i], how); !text.empty()) return text;
  }
  return {};
}

}  // namespace layout_golden
