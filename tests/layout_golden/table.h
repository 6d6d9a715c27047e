// The table of docs/layouts.md: which operators have kernels for which layouts, and gradients, asked of coverage().
// Include this after every other header: it imports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

import topbit;

namespace layout_golden {

namespace tb = topbit;

/// "add" of aten::add_.Tensor, and whether it is the in-place or the out form.
struct operation {
  std::string name;
  std::string_view form;
};

inline operation operation_of(std::string_view full) {
  const std::size_t dot = full.find('.');
  std::string_view name = full.substr(0, dot);
  const std::string_view overload = dot == full.npos ? std::string_view() : full.substr(dot + 1);
  if (name.starts_with("aten::")) name.remove_prefix(6);
  if (overload == "out" || overload.ends_with("_out")) return {std::string(name), "out"};
  if (name.ends_with('_') && !name.ends_with("__")) return {std::string(name.substr(0, name.size() - 1)), "in place"};
  return {std::string(name), "yes"};
}

/// What an operator says of its gradient. Layouts pass autograd for this key alone, or declare nothing, where their
/// kernels record what they call.
enum class says : std::uint8_t { nothing, composite, no, yes };
inline says gradient_of(const tb::operator_handle& op) {
  const tb::inspect::table_row row = tb::inspect::computed_row(op, tb::key::AutogradCPU);
  switch (tb::declaration_of(op)) {
    case tb::gradient_declaration::rule:
    case tb::gradient_declaration::missing: return says::yes;
    case tb::gradient_declaration::composite: return says::composite;
    case tb::gradient_declaration::none:
      return row.registered_for.has_value() && !row.registered_for->is_alias() ? says::yes : says::no;
    case tb::gradient_declaration::needless: break;
  }
  return says::nothing;
}

/// Whether a cell is a kernel of a layout, and not one that stands for the layout's fallback where a composite would
/// come first. Modules register those in the files that have their fallback.
inline bool computes(const tb::inspect::table_row& cell) {
  if (cell.why != tb::inspect::row_reason::kernel && cell.why != tb::inspect::row_reason::layout_kernel) return false;
  const std::string_view file = cell.place.file;
  return !file.ends_with("/fallback.cpp") && !file.ends_with("/dense_calls.cpp") &&
         !file.ends_with("/registration.cpp");
}

/// One line: an operation with all its overloads and forms.
struct table_line {
  std::array<std::string, 4> cells;  // by layout: "", or the forms that have a kernel
  says gradient = says::nothing;     // the strongest of all overloads
};

/// A line for each operation that a kernel of a layout serves.
inline std::map<std::string, table_line> table_lines() {
  constexpr std::array<tb::dispatch_key, 4> keys{tb::key::SparseCPU, tb::key::SparseCsrCPU, tb::key::QuantizedCPU,
                                                 tb::key::MkldnnCPU};
  std::map<std::string, table_line> lines;
  for (const tb::inspect::coverage_row& row : tb::coverage(tb::registry::process(), keys).operators) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (!computes(row.cells[i])) continue;
      const operation o = operation_of(row.op);
      table_line& line = lines[o.name];
      std::string& cell = line.cells[i];
      // In the order of names: add.Tensor, add.out, add_.Tensor.
      if (cell.find(o.form) == cell.npos) (cell += cell.empty() ? "" : ", ") += o.form;
      // Every out form has a rule, which refuses to record.
      if (o.form != "out") line.gradient = std::max(line.gradient, gradient_of(tb::find(row.op)));
    }
  }
  return lines;
}

/// A line for each module with the composite operators that it has itself, as `coalesce` of topbit.sparse.
inline std::string composites_of_modules() {
  std::map<std::string, std::set<std::string>> names;
  constexpr std::array key{tb::key::CPU};
  for (const tb::inspect::coverage_row& row : tb::coverage(tb::registry::process(), key).operators) {
    if (row.cells[0].why != tb::inspect::row_reason::composite_kernel) continue;
    for (const char* module : {"onednn", "quantized", "sparse"}) {
      if (row.cells[0].place.file.find("modules/" + std::string(module) + "/") != std::string::npos)
        names[module].insert(operation_of(row.op).name);
    }
  }
  std::string text;
  for (const auto& [module, all] : names) {
    text += "- `topbit." + module + "`:";
    for (const std::string& name : all) text += (name == *all.begin() ? " `" : ", `") + name + "`";
    text += "\n";
  }
  return text;
}

inline std::string made_table() {
  std::string text =
      "| operator | sparse_coo | sparse_csr, sparse_csc | quantized | mkldnn | gradient |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const auto& [name, line] : table_lines()) {
    text += "| `" + name + "` |";
    for (const std::string& cell : line.cells) text += (cell.empty() ? " -" : " " + cell) + std::string(" |");
    text += line.gradient == says::yes || line.gradient == says::composite ? " yes |\n" : " - |\n";
  }
  return text + "\nOperators of the modules that are composed of others:\n\n" + composites_of_modules();
}

}  // namespace layout_golden
