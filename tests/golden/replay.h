// One case, run in every way its rules allow. call_text() reads the arguments; a layer of this file's own stands below
// it, puts the tensors where they are wanted, looks whether a call wrote to them, and keeps the results as values.
// Include this after every other header: it imports.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare.h"
#include "data.h"
#include "memory.h"

import topbit;

namespace golden {

namespace tb = topbit;

/// What one call is told, and what came of it.
struct call {
  memory how = memory::dense;
  std::int64_t copies = 0;  // 0: as they are
  tb::device where = tb::cpu;

  bool reached = false;
  std::size_t rank = 0;
  std::vector<tb::tensor> arguments{};
  std::vector<std::vector<std::byte>> before{};  // what their storages held
  std::vector<tb::value> results{};
};

inline constexpr tb::dispatch_key layer_key = tb::key::UserTop1;
inline call* current = nullptr;

inline void observe(const tb::operator_handle& op, tb::key_set, tb::stack& stack) {
  call& c = *current;
  c.reached = true;
  const std::span<tb::value> arguments = stack.top(op.argument_count());
  for (const tb::value& v : arguments) {
    tb::author::each_tensor(v, [&](const tb::tensor& t) { c.rank = std::max(c.rank, t.dim()); });
  }
  for (tb::value& v : arguments) {
    v = tb::author::map_tensors(v, [&](const tb::tensor& t) {
      const tb::tensor base = c.copies == 0 ? t : repeated(t, c.copies, c.rank);
      return c.arguments.emplace_back(moved(base, c.how, c.arguments.size(), c.where));
    });
  }
  for (const tb::tensor& t : c.arguments) c.before.push_back(support::bytes(t));
  const tb::exclude_guard parts_are_not_ours(layer_key);
  op.call_boxed(stack);  // with the keys of the tensors that are there now
  for (const tb::value& v : stack.top(op.result_count())) c.results.push_back(v);
}
inline const auto layer = tb::fallback<&observe>(layer_key);

inline bool takes_device(const tb::operator_handle& op) {
  const tb::schema_view* s = op.parsed_schema();
  if (s == nullptr) return false;
  for (const auto& argument : s->arguments) {
    if (argument.name == "device") return true;
  }
  return false;
}

inline void run(const tb::operator_handle& op, const one_case& c, call& to) {
  std::vector<std::string_view> texts(c.arguments.begin(), c.arguments.end());
  if (to.where == tb::meta && takes_device(op)) texts.push_back("device=meta");
  current = &to;
  const tb::include_guard watched(layer_key);
  tb::call_text(op, texts);
}

inline std::string way(const call& c) {
  return std::string(name_of(c.how)) + (c.copies != 0 ? ", repeated, on " : " on ") + to_string(c.where) + ": ";
}

inline std::string written_argument(const call& c) {
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    if (support::bytes(c.arguments[i]) != c.before[i]) return "wrote to tensor argument " + std::to_string(i);
  }
  return {};
}

inline std::string check_on_cpu(const tb::operator_handle& op, const one_case& c, const rules& how, call& to) {
  try {
    run(op, c, to);
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
  if (to.results.size() != c.results.size()) {
    return "found " + std::to_string(to.results.size()) + " results, wanted " + std::to_string(c.results.size());
  }
  const auto as_often = [&](const tb::tensor& t) { return to.copies == 0 ? t : repeated(t, to.copies, to.rank); };
  for (std::size_t i = 0; i < c.results.size(); ++i) {
    if (std::string text = difference(to.results[i], c.results[i], how, as_often); !text.empty()) {
      return (c.results.size() > 1 ? "result " + std::to_string(i) + ": " : std::string()) + text;
    }
  }
  return written_argument(to);
}

/// Sizes, strides and dtypes are those of the CPU's results.
inline std::string check_on_meta(const tb::operator_handle& op, const one_case& c, const rules& how, const call& cpu) {
  call to{cpu.how, cpu.copies, tb::meta};
  try {
    run(op, c, to);
  } catch (const tb::error& e) {
    return how.meta_raises ? std::string() : way(to) + "threw: " + e.what();
  }
  if (how.meta_raises) return way(to) + "found results, wanted an error, since their sizes depend on elements";
  std::string text;
  for (std::size_t i = 0; i < cpu.results.size() && text.empty(); ++i) {
    std::vector<tb::tensor> wanted, found;
    tb::author::each_tensor(cpu.results[i], [&](const tb::tensor& t) { wanted.push_back(t); });
    tb::author::each_tensor(to.results.at(i), [&](const tb::tensor& t) { found.push_back(t); });
    if (wanted.size() != found.size()) text = "found another number of tensors than on the cpu";
    for (std::size_t n = 0; n < wanted.size() && text.empty(); ++n) {
      const tb::tensor &f = found[n], &w = wanted[n];
      if (f.device() != tb::meta || f.dtype() != w.dtype() || f.sizes() != w.sizes() || f.strides() != w.strides()) {
        text = "found " + to_string(f) + " with strides " + tb::to_string(f.strides()) + ", wanted " + to_string(w) +
               " with strides " + tb::to_string(w.strides());
      }
    }
  }
  return text.empty() ? text : way(to) + text;
}

/// The kinds are README.md's.
inline std::string check_error(const tb::operator_handle& op, const one_case& c, tb::device where) {
  call to{memory::dense, 0, where};
  std::string problem = "found results, wanted an error about its " + c.error;
  try {
    run(op, c, to);
  } catch (const tb::error& e) {
    const bool right = c.error == "shape"   ? dynamic_cast<const tb::shape_error*>(&e) != nullptr
                       : c.error == "dtype" ? dynamic_cast<const tb::dtype_error*>(&e) != nullptr
                                            : dynamic_cast<const tb::no_kernel*>(&e) == nullptr;
    if (!to.reached)
      problem = std::string("was not called: ") + e.what();
    else if (!right)
      problem = "found another type of error than for its " + c.error + ": " + e.what();
    else if (!std::string_view(e.what()).starts_with("aten::"))
      problem = std::string("found an error that does not begin with the operator: ") + e.what();
    else
      problem = written_argument(to);
  }
  return problem.empty() ? problem : way(to) + problem;
}

/// Empty if the case is as the file says, else what is not, in one sentence. Throws where the file's texts are wrong.
inline std::string replay(const tb::operator_handle& op, const one_case& c, const rules& how) {
  if (!c.error.empty()) {
    std::string text = check_error(op, c, tb::cpu);
    // What only elements show, meta cannot see.
    return text.empty() && c.error != "index" ? check_error(op, c, tb::meta) : text;
  }
  for (const std::int64_t copies : {std::int64_t{0}, std::int64_t{37}}) {
    if (copies != 0 && !how.elementwise) break;
    for (const memory m : memories) {
      call on_cpu{m, copies};
      if (std::string text = check_on_cpu(op, c, how, on_cpu); !text.empty()) return way(on_cpu) + text;
      if (std::string text = check_on_meta(op, c, how, on_cpu); !text.empty()) return text;
    }
  }
  return {};
}

}  // namespace golden
