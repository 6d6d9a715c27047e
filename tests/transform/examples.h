// One call of an operator on batches, against the same call on each example. Include this after every other header: it
// imports.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "golden/compare.h"
#include "golden/memory.h"

import topbit;
import topbit.transform;

namespace examples {

namespace tb = topbit;

/// What a call gave: the tensors of its results, or its error.
struct outcome {
  std::vector<tb::tensor> results;
  std::string error, type;  // of error: empty if it gave results
};

inline std::string type_of(const tb::error& e) {
  return dynamic_cast<const tb::shape_error*>(&e) != nullptr    ? "shape_error"
         : dynamic_cast<const tb::dtype_error*>(&e) != nullptr  ? "dtype_error"
         : dynamic_cast<const tb::layout_error*>(&e) != nullptr ? "layout_error"
                                                                : "error";
}

/// The operator called with these values, its tensors replaced in order by `tensors`.
inline std::vector<tb::tensor> called(const tb::operator_handle& op, std::span<const tb::value> arguments,
                                      std::vector<tb::tensor>& tensors) {
  tb::inline_stack<16> stack;
  const tb::author::schema_view& s = *op.parsed_schema();
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].is<tb::tensor>() && s.arguments[i].writes)
      stack.push(tb::value::refer(tensors[next++]));
    else
      stack.push(tb::author::map_tensors(arguments[i], [&](const tb::tensor&) { return tensors[next++]; }));
  }
  op.call_boxed(stack);
  std::vector<tb::tensor> results;
  for (const tb::value& v : stack.top(op.result_count())) {
    tb::author::each_tensor(v, [&](const tb::tensor& t) { results.push_back(t); });
  }
  return results;
}

template <class Call>
outcome outcome_of(Call call) {
  try {
    return {call(), {}, {}};
  } catch (const tb::error& e) {
    return {{}, e.what(), type_of(e)};
  }
}

/// Example b of a tensor of the call: the tensor itself for b = 0, then other elements of the same dtype and sizes.
inline tb::tensor variant(const tb::tensor& t, std::int64_t b) {
  if (b == 0 || t.numel() == 0) return t;
  if (t.dim() == 0) return tb::is_floating(t.dtype()) ? tb::to(tb::add(t, static_cast<double>(b)), t.dtype()) : t;
  return tb::reshape(tb::roll(tb::reshape(t, {-1}), {b}, {0}), t.sizes());
}

/// How a call is batched: which of its tensors, along which of their dimensions, in how many levels, in which memory.
struct arrangement {
  std::vector<bool> batched;
  std::int64_t dim = 0;  // 0 or -1
  std::int64_t size = 3;
  bool nested = false;
  golden::memory memory = golden::memory::dense;
};

/// All of a call with so many tensors, of which the fourth and those after it are batched together.
inline std::vector<arrangement> all_arrangements(std::size_t tensors) {
  std::vector<arrangement> all;
  const std::size_t choices = std::size_t{1} << std::min<std::size_t>(tensors, 4);
  for (std::size_t which = 1; which < choices; ++which) {
    std::vector<bool> batched;
    for (std::size_t i = 0; i < tensors; ++i) batched.push_back((which >> std::min<std::size_t>(i, 3) & 1) != 0);
    for (const golden::memory m : golden::memories) {
      for (const std::int64_t dim : {0, -1}) {
        for (const std::int64_t size : {0, 1, 3}) all.push_back({batched, dim, size, false, m});
        all.push_back({batched, dim, 4, true, m});
      }
    }
  }
  return all;
}

inline std::string to_string(const arrangement& a) {
  std::string text = "batched: ";
  for (const bool b : a.batched) text += b ? "1" : "0";
  return text + ", dimension " + std::to_string(a.dim) + ", " + std::to_string(a.size) + " examples" +
         (a.nested ? ", nested, " : ", ") + golden::name_of(a.memory) + ": ";
}

/// The tensors with all examples, of each level.
inline tb::tensor with_examples(const tb::tensor& t, const arrangement& a) {
  std::vector<tb::tensor> all;
  for (std::int64_t b = 0; b < std::max<std::int64_t>(a.size, 1); ++b) all.push_back(variant(t, b));
  const tb::tensor stacked = tb::stack(all, a.dim);
  return a.size == 0 ? tb::narrow(stacked, a.dim, 0, 0) : stacked;
}

/// Whether the call is refused for what examples may be, though each of them may be taken alone.
inline bool is_refusal(std::string_view text) {
  constexpr std::string_view reasons[] = {"so it has no single value", "examples may differ",
                                          "which may select other numbers of elements"};
  return std::ranges::any_of(reasons, [&](std::string_view r) { return text.find(r) != text.npos; });
}

/// Empty if they agree; else a sentence.
inline std::string compare(const tb::operator_handle& op, const outcome& found, const std::vector<outcome>& wanted,
                           const golden::rules& how, bool may_be_refused) {
  const auto failed = std::ranges::find_if(wanted, [](const outcome& o) { return !o.error.empty(); });
  if (may_be_refused && is_refusal(found.error)) return {};
  if (failed != wanted.end()) {
    if (found.error.empty()) return "found results, wanted the error of an example: " + failed->error;
    const bool of_memory = op.name().starts_with("aten::as_strided") && found.type == failed->type;
    if (!of_memory && (!found.error.starts_with(failed->error) || found.type != failed->type))
      return "found " + found.type + " '" + found.error + "', wanted " + failed->type + " '" + failed->error +
             " (...)'";
    return {};
  }
  if (!found.error.empty()) return "threw: " + found.error;
  for (std::size_t b = 0; b < wanted.size(); ++b) {
    if (found.results.size() != wanted[b].results.size()) return "found another number of results";
    for (std::size_t i = 0; i < found.results.size(); ++i) {
      const tb::tensor &all = found.results[i], &one = wanted[b].results[i];
      if (!one.defined()) continue;
      // Sums may be in another order.
      const bool narrow = one.dtype() == tb::dtype::float16 || one.dtype() == tb::dtype::bfloat16;
      const bool wide = one.dtype() == tb::dtype::float64;
      const golden::tolerance few{wide ? 1e-13 : narrow ? 4e-3 : 4e-6, wide ? 1e-14 : 1e-6};
      const std::string text = golden::difference(tb::contiguous(tb::select(all, 0, static_cast<std::int64_t>(b))),
                                                  tb::contiguous(one), how, few);
      if (!text.empty()) return "result " + std::to_string(i) + " of example " + std::to_string(b) + ": " + text;
    }
  }
  return {};
}

/// Whether an argument is written that is the same for all examples.
inline bool writes_unbatched(const tb::operator_handle& op, std::span<const tb::value> arguments,
                             const arrangement& a) {
  const auto items = op.parsed_schema()->arguments;
  bool found = false;
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    tb::author::each_tensor(arguments[i], [&](const tb::tensor&) {
      found = found || (items[i].writes && !a.batched[next]);
      ++next;
    });
  }
  return found;
}

/// The same for no examples, whose results have the sizes and dtypes of one.
inline std::string compare_empty(const outcome& found, const outcome& one, bool may_be_refused) {
  if (!one.error.empty() || (may_be_refused && is_refusal(found.error))) return {};
  if (!found.error.empty()) return "threw: " + found.error;
  if (found.results.size() != one.results.size()) return "found another number of results";
  for (std::size_t i = 0; i < one.results.size(); ++i) {
    if (!one.results[i].defined()) continue;
    tb::shape sizes{0};
    for (const std::int64_t n : one.results[i].sizes()) sizes.push_back(n);
    const tb::tensor& all = found.results[i];
    if (all.sizes() != sizes || all.dtype() != one.results[i].dtype())
      return "result " + std::to_string(i) + ": found " + std::string(tb::name_of(all.dtype())) + " " +
             tb::to_string(all.sizes()) + ", an example is " + std::string(tb::name_of(one.results[i].dtype())) + " " +
             tb::to_string(one.results[i].sizes());
  }
  return {};
}

/// Calls the operator with the tensors batched so, and each example alone. Empty if both agree.
inline std::string check(const tb::operator_handle& op, std::span<const tb::value> arguments,
                         const std::vector<tb::tensor>& tensors, const arrangement& a, const golden::rules& how,
                         bool may_be_refused) {
  std::vector<tb::tensor> mapped;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (a.batched[i]) mapped.push_back(with_examples(tensors[i], a));
  }
  const auto arranged = [&] {
    std::vector<tb::tensor> all;
    for (const tb::tensor& t : mapped) all.push_back(golden::moved(t, a.memory, all.size(), tb::cpu));
    return all;
  };
  // Of copies of the examples, or of views of the memory that the batch has.
  const auto examples_alone = [&](bool views) {
    const std::vector<tb::tensor> all = views ? arranged() : mapped;
    std::vector<outcome> wanted;
    for (std::int64_t b = 0; b < a.size; ++b) {
      std::vector<tb::tensor> of_example;
      for (std::size_t i = 0, m = 0; i < tensors.size(); ++i) {
        const tb::tensor one = a.batched[i] ? tb::select(all[m++], a.dim, b) : tensors[i];
        of_example.push_back(a.batched[i] && !views ? tb::clone(one) : one);
      }
      wanted.push_back(outcome_of([&] { return called(op, arguments, of_example); }));
    }
    return wanted;
  };
  const std::vector<outcome> wanted = examples_alone(false);
  std::vector<outcome> of_views;
  if (a.memory != golden::memory::dense && !a.nested) of_views = examples_alone(true);
  if (a.nested) {
    // Half of the examples in each of two outer ones.
    for (tb::tensor& t : mapped) {
      const std::int64_t at = a.dim < 0 ? a.dim + t.dim() : a.dim;
      tb::shape split;
      for (std::int64_t i = 0; i < t.dim(); ++i) {
        if (i == at) split.push_back(2);
        split.push_back(i == at ? t.size(i) / 2 : t.size(i));
      }
      t = tb::reshape(t, split);
    }
  }
  const auto of_one = [&](const std::vector<tb::tensor>& batched) {
    std::vector<tb::tensor> all;
    for (std::size_t i = 0, m = 0; i < tensors.size(); ++i) all.push_back(a.batched[i] ? batched[m++] : tensors[i]);
    return called(op, arguments, all);
  };
  const std::vector<tb::tensor> fresh = arranged();
  const outcome found = outcome_of([&] {
    if (!a.nested) return tb::vmap(of_one, {.in = a.dim})(fresh);
    const auto of_half = [&](const std::vector<tb::tensor>& half) { return tb::vmap(of_one, {.in = a.dim})(half); };
    std::vector<tb::tensor> all = tb::vmap(of_half, {.in = a.dim < 0 ? -2 : 0})(fresh);
    for (tb::tensor& t : all) t = tb::flatten(t, 0, 1);
    return all;
  });
  if (writes_unbatched(op, arguments, a)) {
    const bool refused_write = found.error.find("is one tensor for all examples") != std::string::npos;
    return refused_write ? std::string() : to_string(a) + "found " + found.error + ", wanted a refusal to write";
  }
  // Two levels take two dimensions of those that a tensor may have.
  if (a.nested && found.error.find("dimensions, wanted at most 8") != std::string::npos) return {};
  std::string text;
  if (a.size == 0) {
    std::vector<tb::tensor> one;
    for (std::size_t i = 0; i < tensors.size(); ++i) one.push_back(a.batched[i] ? tb::clone(tensors[i]) : tensors[i]);
    text = compare_empty(found, outcome_of([&] { return called(op, arguments, one); }), may_be_refused);
  } else {
    text = compare(op, found, wanted, how, may_be_refused);
    // Sizes that a copy can be viewed with may not suit other strides.
    if (!text.empty() && !of_views.empty()) text = compare(op, found, of_views, how, may_be_refused);
  }
  return text.empty() ? text : to_string(a) + text;
}

}  // namespace examples
