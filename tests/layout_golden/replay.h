// One case: its call by name, what came of it, and its gradients. Include this after every other header: it imports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "literals.h"

namespace layout_golden {

/// An argument's place and text: "alpha=2" is that of the name.
struct given {
  std::size_t index = 0;
  std::string text;
};

inline std::vector<given> given_of(const tb::operator_handle& op, const one_case& c) {
  const auto items = op.parsed_schema()->arguments;
  std::vector<given> all;
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    all.push_back({i, c.arguments[i]});
    for (std::size_t n = 0; n < items.size(); ++n) {
      const std::string prefix = std::string(items[n].name) + "=";
      if (c.arguments[i].starts_with(prefix)) all.back() = {n, c.arguments[i].substr(prefix.size())};
    }
  }
  return all;
}

inline bool is_literal(std::string_view text) { return text.find('{') != text.npos; }

/// What takes the place of an argument: a leaf, or all of a list's.
struct replacement {
  std::size_t index;
  std::vector<tb::tensor> tensors;
};

/// Calls by name. Arguments that are no texts of call_text() are put in the places of others that are.
inline std::vector<tb::value> call(const tb::operator_handle& op, const one_case& c,
                                   const std::vector<replacement>& replaced = {}) {
  const std::vector<given> all = given_of(op, c);
  std::vector<std::string> texts = c.arguments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_literal(all[i].text)) continue;
    const bool is_list = !list_in(all[i].text).empty();
    texts[i] = texts[i].substr(0, texts[i].size() - all[i].text.size()) + (is_list ? "[[0.0]]" : "[0.0]");
  }
  tb::boxed_stack stack;
  tb::author::push_arguments(stack, op, std::vector<std::string_view>(texts.begin(), texts.end()));
  const std::span<tb::value> arguments = stack.top(op.argument_count());
  for (tb::value& v : arguments) {
    v = tb::author::map_tensors(v, [](const tb::tensor& t) { return t.defined() ? tb::to(t, tested) : t; });
  }
  for (const given& g : all) {
    if (!is_literal(g.text)) continue;
    std::vector<tb::tensor> list;
    for (const std::string& text : list_in(g.text)) list.push_back(read_tensor(text));
    arguments[g.index] = list.empty() ? tb::value(read_tensor(g.text)) : tb::value(std::move(list));
  }
  for (const replacement& r : replaced) {
    const bool is_list = arguments[r.index].is<std::span<const tb::tensor>>();
    arguments[r.index] = is_list ? tb::value(std::vector<tb::tensor>(r.tensors)) : tb::value(tb::tensor(r.tensors[0]));
  }
  op.call_boxed(stack);
  std::vector<tb::value> results;
  for (const tb::value& v : stack.top(op.result_count())) results.push_back(v);
  return results;
}

inline std::string compare(const std::vector<tb::value>& found, const std::vector<std::string>& wanted,
                           const golden::rules& how) {
  if (found.size() != wanted.size()) {
    return "found " + std::to_string(found.size()) + " results, wanted " + std::to_string(wanted.size());
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::string text = difference(found[i], wanted[i], how); !text.empty()) return text;
  }
  return {};
}

inline std::string check_error(const tb::operator_handle& op, const one_case& c, std::string_view kind) {
  try {
    call(op, c);
  } catch (const tb::error& e) {
    const bool right = kind == "error shape"   ? dynamic_cast<const tb::shape_error*>(&e) != nullptr
                       : kind == "error dtype" ? dynamic_cast<const tb::dtype_error*>(&e) != nullptr
                                               : dynamic_cast<const tb::no_kernel*>(&e) == nullptr;
    return right ? std::string() : "found another error than " + std::string(kind) + ": " + e.what();
  }
  return "found results, wanted " + std::string(kind);
}

/// How a sparse argument that has a gradient is made.
enum class leaf_kind { values, whole };

struct leaves {
  std::vector<replacement> arguments;
  std::vector<tb::tensor> inputs;    // those asked for a gradient, in order
  std::vector<tb::tensor> patterns;  // the sparse tensors that they are parts of, undefined for others
};

/// A leaf for each floating-point tensor of the arguments: the values of a sparse one, or the sparse tensor itself.
inline leaves leaves_of(const tb::operator_handle& op, const one_case& c, leaf_kind kind) {
  leaves out;
  for (const given& g : given_of(op, c)) {
    const auto type = op.parsed_schema()->arguments[g.index].type;
    if (g.text == "None" || type.find("Tensor") == type.npos || g.text.starts_with("quantized{")) continue;
    std::vector<std::string> texts = list_in(g.text);
    if (texts.empty()) texts.push_back(g.text);
    std::vector<tb::tensor> made;
    for (const std::string& text : texts) {
      tb::tensor t = read_tensor(text);
      if (!tb::is_floating(t.dtype())) {
        made.push_back(t);
        continue;
      }
      const bool is_sparse = t.layout() != tb::layout::strided;
      if (is_sparse && kind == leaf_kind::values) {
        const tb::tensor leaf = tb::require_grad(tb::clone(tb::sparse::raw_values(t)));
        out.inputs.push_back(leaf);
        made.push_back(read_tensor(text, leaf));
      } else {
        tb::require_grad(t);
        out.inputs.push_back(t);
        made.push_back(t);
      }
      out.patterns.push_back(is_sparse ? t : tb::tensor());
    }
    out.arguments.push_back({g.index, made});
  }
  return out;
}

inline std::string gradient_difference(const tb::tensor& found, const tb::tensor& pattern, std::string_view wanted,
                                       const golden::rules& how, leaf_kind kind) {
  if (kind == leaf_kind::values || !pattern.defined()) {
    if (found.defined()) return difference(found, wanted, how);
    // Of an argument that the result does not depend on.
    return difference(tb::zeros_like(read_strided(wanted)), wanted, how);
  }
  if (!found.defined()) return {};
  if (found.layout() != pattern.layout()) {
    return "found a gradient of layout " + std::string(name_of(found.layout())) + ", wanted " +
           std::string(name_of(pattern.layout()));
  }
  // Duplicates have one gradient each only as values; of the tensor they are one place.
  if (pattern.layout() == tb::layout::sparse_coo && !tb::sparse::coo_parts(pattern).coalesced) return {};
  return difference(tb::sparse::values_at(found, pattern), wanted, how);
}

inline std::string check_gradients(const tb::operator_handle& op, const one_case& c, const golden::rules& how,
                                   leaf_kind kind) {
  const leaves l = leaves_of(op, c, kind);
  const std::vector<std::string>& wanted = c.sections[2];
  // A file may leave out the last gradients, of arguments that are no leaves.
  if (l.inputs.size() < wanted.size()) return "found " + std::to_string(l.inputs.size()) + " floating-point arguments";
  tb::tensor result = call(op, c, l.arguments).at(0).get<tb::tensor>();
  if (result.layout() != tb::layout::strided) result = tb::to_dense(result);
  const std::vector<tb::tensor> found =
      tb::grad({result}, l.inputs, {.allow_unused = true, .gradients = {read_strided(c.sections[1].at(0))}});
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::string text = gradient_difference(found[i], l.patterns[i], wanted[i], how, kind); !text.empty()) {
      return "gradient " + std::to_string(i) + (kind == leaf_kind::whole ? " of the tensor: " : " of the values: ") +
             text;
    }
  }
  return {};
}

/// Empty if all is as the line says.
inline std::string replay(const tb::operator_handle& op, const one_case& c, const golden::rules& how) {
  try {
    if (c.is_error(0)) return check_error(op, c, c.sections[0][0]);
    std::string text = compare(call(op, c), c.sections[0], how);
    for (const leaf_kind kind : {leaf_kind::values, leaf_kind::whole}) {
      if (text.empty() && c.sections.size() == 3) text = check_gradients(op, c, how, kind);
    }
    return text;
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
}

}  // namespace layout_golden
