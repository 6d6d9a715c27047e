// One case, run in every way its rules allow. call_text() reads the arguments; a layer of this file's own stands below
// it, puts the tensors where they are wanted, looks whether a call wrote to them, and keeps the results as values.
// Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compare.h"
#include "data.h"
#include "memory.h"

import topbit;
import topbit.cuda;

namespace golden {

namespace tb = topbit;

/// Where cases are replayed: the CPU, or a device that has to agree with it.
inline tb::device tested = tb::cpu;

/// What one call is told, and what came of it.
struct call {
  memory how = memory::dense;
  std::int64_t copies = 0;  // 0: as they are
  tb::device where = tested;
  std::vector<tb::tensor> outs{};         // what stands for the arguments that are written; none: as the text says
  std::optional<std::int64_t> overlap{};  // an argument shares outs[0]'s memory, so many elements after it
  bool read_only = false;                 // what is written cannot be

  bool reached = false;
  std::size_t rank = 0;
  std::vector<tb::tensor> arguments{}, written{};
  std::vector<std::vector<std::byte>> before{}, before_written{};  // what their storages held
  std::vector<tb::value> results{};
};

inline constexpr tb::dispatch_key layer_key = tb::key::UserTop1;
inline call* current = nullptr;

inline void observe(const tb::operator_handle& op, tb::key_set, tb::boxed_stack& stack) {
  call& c = *current;
  c.reached = true;
  const std::span<tb::value> arguments = stack.top(op.argument_count());
  for (const tb::value& v : arguments) {
    tb::author::each_tensor(v, [&](const tb::tensor& t) { c.rank = std::max(c.rank, t.sizes().size()); });
  }
  const std::span<const tb::author::schema_item> items = op.parsed_schema()->arguments;
  std::size_t shared = arguments.size();  // the index of the argument that shares an out's memory
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (items[i].writes && !c.outs.empty()) {
      arguments[i] = tb::value(c.written.emplace_back(c.outs[c.written.size()]));
      continue;
    }
    // Places to split at are wanted on the host, wherever the tensor is.
    const tb::device where = items[i].name == "tensor_indices_or_sections" && c.where != tb::meta ? tb::cpu : c.where;
    arguments[i] = tb::author::map_tensors(arguments[i], [&](const tb::tensor& t) {
      const tb::tensor base = c.copies == 0 ? t : repeated(t, c.copies, c.rank);
      if (items[i].writes) return c.written.emplace_back(moved(base, c.how, 0, where));
      if (c.overlap && shared == arguments.size() && base.defined() && base.dtype() == c.outs[0].dtype()) {
        shared = c.arguments.size();
        return c.arguments.emplace_back(placed(base, c.outs[0], *c.overlap));
      }
      return c.arguments.emplace_back(moved(base, c.how, c.arguments.size(), where));
    });
  }
  if (c.read_only) std::ranges::for_each(c.written, &tb::author::make_read_only);
  for (const tb::tensor& t : c.arguments) c.before.push_back(support::bytes(t));
  if (shared < c.before.size()) c.before[shared].clear();
  for (const tb::tensor& t : c.written) c.before_written.push_back(support::bytes(t));
  const tb::exclude_guard parts_are_not_ours(layer_key);
  op.call_boxed(stack);  // with the keys of the tensors that are there now
  for (const tb::value& v : stack.top(op.result_count())) c.results.push_back(v);
  if (op.result_count() != 0) return;
  for (const tb::tensor& t : c.written) c.results.emplace_back(t);
}
inline const auto layer = tb::fallback<&observe>(layer_key);

inline bool takes_device(const tb::operator_handle& op) {
  const tb::author::schema_view* s = op.parsed_schema();
  if (s == nullptr) return false;
  for (const auto& argument : s->arguments) {
    if (argument.name == "device") return true;
  }
  return false;
}

inline void run(const tb::operator_handle& op, const one_case& c, call& to) {
  std::vector<std::string_view> texts(c.arguments.begin(), c.arguments.end());
  const std::string device = "device=" + tb::to_string(to.where);
  if (to.where != tb::cpu && takes_device(op)) texts.push_back(device);
  current = &to;
  const tb::include_guard watched(layer_key);
  tb::call_text(op, texts);
  // What a kernel finds wrong is told to whoever waits for it.
  if (to.where.type == tb::backend::CUDA) tb::synchronize(to.where);
}

inline std::string way(const call& c) {
  return std::string(name_of(c.how)) + (c.copies != 0 ? ", repeated, on " : " on ") + to_string(c.where) + ": ";
}

inline std::string written_argument(const call& c) {
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    if (!c.before[i].empty() && support::bytes(c.arguments[i]) != c.before[i])
      return "wrote to tensor argument " + std::to_string(i);
  }
  return {};
}

/// Of what is written: its elements may have changed, if the call was to, and nothing beside them.
inline std::string written_beside(const call& c, bool may_change) {
  for (std::size_t i = 0; i < c.written.size(); ++i) {
    const tb::tensor t = support::on_host(c.written[i]);
    std::vector<std::byte> left = c.before_written[i];
    if (left.empty()) continue;
    const auto* first = static_cast<const std::byte*>(tb::author::record_of(t).data->data);
    support::each_index(t.sizes(), [&](const tb::shape& index) {
      const std::byte* at = support::address(t, index);
      if (may_change) std::memcpy(left.data() + (at - first), at, tb::size_of(t.dtype()));
    });
    if (left != support::bytes(t))
      return may_change ? "wrote between the elements of its result" : "wrote to its result";
  }
  return {};
}

inline std::string check_where_tested(const tb::operator_handle& op, const one_case& c, const rules& how, call& to) {
  try {
    run(op, c, to);
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
  if (how.first_result ? to.results.empty() : to.results.size() != c.results.size()) {
    return "found " + std::to_string(to.results.size()) + " results, wanted " + std::to_string(c.results.size());
  }
  const auto as_often = [&](const tb::tensor& t) { return to.copies == 0 ? t : repeated(t, to.copies, to.rank); };
  for (std::size_t i = 0; i < c.results.size(); ++i) {
    if (std::string text = difference(to.results[i], c.results[i], how, as_often); !text.empty()) {
      return (c.results.size() > 1 ? "result " + std::to_string(i) + ": " : std::string()) + text;
    }
  }
  std::string text = written_argument(to);
  return text.empty() ? written_beside(to, true) : text;
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

/// That was called, or a part of it.
inline bool begins_with_operator(std::string_view text) {
  return text.starts_with("aten::") || text.starts_with("topbit::");
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
    else if (!begins_with_operator(e.what()))
      problem = std::string("found an error that does not begin with the operator: ") + e.what();
    else
      problem = written_argument(to);
  }
  return problem.empty() ? problem : way(to) + problem;
}

}  // namespace golden
