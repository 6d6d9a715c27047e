module topbit.autograd;

import topbit.std;
import topbit.core;

namespace topbit {

std::string_view name_of(gradient_declaration d) noexcept {
  switch (d) {
    case gradient_declaration::rule: return "rule";
    case gradient_declaration::none: return "none";
    case gradient_declaration::composite: return "composite";
    case gradient_declaration::needless: return "needless";
    case gradient_declaration::missing: return "missing";
  }
  return "unknown";
}

std::string_view name_of(alias_declaration d) noexcept {
  switch (d) {
    case alias_declaration::needless: return "needless";
    case alias_declaration::kernel: return "kernel";
    case alias_declaration::composite: return "composite";
    case alias_declaration::declined: return "declined";
    case alias_declaration::missing: return "missing";
  }
  return "unknown";
}

std::string_view name_of(gradient_defect d) noexcept {
  switch (d) {
    case gradient_defect::missing_rule: return "missing rule";
    case gradient_defect::unrefused_write: return "unrefused write";
    case gradient_defect::uncounted_write: return "uncounted write";
    case gradient_defect::untracked_view: return "untracked view";
  }
  return "unknown";
}

namespace {

// True for "Tensor" and for types that contain it: "Dict(str, Tensor)".
bool holds_tensors(std::string_view type) noexcept {
  constexpr std::string_view wanted = "Tensor";
  const auto is_word = [&](std::size_t i) {
    return i < type.size() && (type[i] == '_' || type[i] == ':' || (type[i] >= '0' && type[i] <= '9') ||
                               (type[i] >= 'A' && type[i] <= 'Z') || (type[i] >= 'a' && type[i] <= 'z'));
  };
  for (std::size_t at = type.find(wanted); at != std::string_view::npos; at = type.find(wanted, at + 1)) {
    if ((at == 0 || !is_word(at - 1)) && !is_word(at + wanted.size())) return true;
  }
  return false;
}

// What a schema says about tensors: whether it takes, writes or returns views of them.
struct tensor_traits {
  bool takes = false, writes = false, views = false;
};
tensor_traits traits_of(const author::schema_view& s) noexcept {
  tensor_traits found;
  for (const author::schema_item& a : s.arguments) {
    if (!holds_tensors(a.type)) continue;
    found.takes = true;
    found.writes = found.writes || a.writes;
  }
  for (const author::schema_item& r : s.returns)
    found.views = found.views || (holds_tensors(r.type) && !r.writes && !r.alias.empty());
  return found;
}
tensor_traits traits_of(const operator_handle& op) {
  if (const author::schema_view* parsed = op.parsed_schema()) return traits_of(*parsed);
  return traits_of(schema(op.schema()).view());
}

bool is_composite(const inspect::table_row& row) noexcept {
  return row.why == inspect::row_reason::composite_kernel || row.why == inspect::row_reason::nested_kernel;
}
// A kernel or fallthrough registered for this operator itself.
bool is_own(const inspect::table_row& row) noexcept {
  return row.why == inspect::row_reason::kernel || row.why == inspect::row_reason::autograd_kernel;
}

gradient_declaration declared_by(const inspect::table_row& row, const tensor_traits& of) noexcept {
  if (is_own(row)) return row.passes ? gradient_declaration::none : gradient_declaration::rule;
  if (is_composite(row)) return row.passes ? gradient_declaration::none : gradient_declaration::composite;
  return of.takes ? gradient_declaration::missing : gradient_declaration::needless;
}

alias_declaration aliases_by(const inspect::table_row& row, const tensor_traits& of,
                             gradient_declaration gradient) noexcept {
  const bool leaves_graph = gradient == gradient_declaration::none;
  if (!of.writes && (!of.views || leaves_graph)) return alias_declaration::needless;
  if (row.why == inspect::row_reason::kernel)
    return row.passes ? alias_declaration::declined : alias_declaration::kernel;
  if (row.why == inspect::row_reason::backend_fallback && !row.passes) return alias_declaration::kernel;
  return gradient == gradient_declaration::composite ? alias_declaration::composite : alias_declaration::missing;
}

std::string registered_at(const inspect::source_location& p) {
  return p.file.empty() ? std::string() : " (its kernel is registered at " + to_string(p) + ")";
}

void find_defects(declared_gradient& d) {
  const auto say = [&](gradient_defect what, const std::string& text) {
    d.findings.push_back({what, d.op + ": " + text});
  };
  if (d.gradient == gradient_declaration::missing && d.writes) {
    say(gradient_defect::missing_rule,
        "writes to an argument and has no gradient rule" + registered_at(d.place) +
            "; register one for key::Autograd, or author::in_place_autograd to refuse tensors that require a gradient");
  } else if (d.gradient == gradient_declaration::missing) {
    say(gradient_defect::missing_rule,
        "has no gradient rule" + registered_at(d.place) +
            "; register one for key::Autograd, or a fallthrough there if it is not differentiable");
  }
  if (d.gradient == gradient_declaration::none && d.writes) {
    say(gradient_defect::unrefused_write,
        "writes to an argument and is declared not differentiable at " + to_string(d.place) +
            ", so what it overwrites loses its gradient without a word; register author::in_place_autograd for "
            "key::Autograd");
  }
  if (d.aliases != alias_declaration::missing) return;
  if (d.writes) {
    say(gradient_defect::uncounted_write,
        "writes to an argument, which is not counted; register author::counts_writes for key::ADInplaceOrView");
  } else {
    say(gradient_defect::untracked_view,
        "returns a view, which is not tracked; register author::tracks_view for key::ADInplaceOrView");
  }
}

// `cells`: the slots of the keys that selected() passes to coverage().
declared_gradient described(const operator_handle& op, std::span<const inspect::table_row> cells) {
  const tensor_traits of = traits_of(op);
  declared_gradient d{.op = std::string(op.name()), .writes = of.writes, .views = of.views};
  d.gradient = declared_by(cells[0], of);
  d.aliases = aliases_by(cells[1], of, d.gradient);
  d.place = is_own(cells[0]) || is_composite(cells[0]) ? cells[0].place : detail::place_of_work(op, cells[2]);
  find_defects(d);
  return d;
}

inspect::coverage_report selected(std::span<const operator_handle> operators, dispatch_key autograd) {
  if (!autograd_keys.has(autograd.layer) || (author::per_backend(autograd.layer) && autograd.device == backend::none)) {
    throw error("declared_gradients: found the key " + to_string(autograd) +
                ", wanted an autograd key, such as AutogradCPU");
  }
  const std::array keys{autograd, key::ADInplaceOrView, dispatch_key{functionality::Dense, autograd.device}};
  return coverage(operators, keys);
}

}  // namespace

inspect::source_location detail::place_of_work(const operator_handle& op, const inspect::table_row& of_backend) {
  if (!of_backend.passes && !of_backend.place.file.empty()) return of_backend.place;
  const auto computes = [](key_target t) {
    if (!t.is_alias()) return t.row.layer <= functionality::NestedTensor;
    return t != key::Autograd && t != key::Autocast && t != key::FuncTorchBatchedDecomposition;
  };
  inspect::source_location place;
  for (const inspect::kernel_record& k : op.kernels()) {
    if (!k.fallthrough && computes(k.target)) place = {k.file, k.line};
  }
  return place;
}

gradient_declaration declaration_of(const operator_handle& op, dispatch_key autograd) {
  return declared_by(selected(std::array{op}, autograd).operators[0].cells[0], traits_of(op));
}

std::vector<declared_gradient> declared_gradients(std::span<const operator_handle> operators, dispatch_key autograd) {
  const inspect::coverage_report report = selected(operators, autograd);
  std::vector<declared_gradient> all;
  for (std::size_t i = 0; i < operators.size(); ++i) all.push_back(described(operators[i], report.operators[i].cells));
  return all;
}

std::vector<declared_gradient> declared_gradients(registry& r, dispatch_key autograd) {
  std::vector<operator_handle> operators;
  for (const std::string& name : r.operators()) operators.push_back(r.find(name));
  return declared_gradients(operators, autograd);
}

namespace {

std::string counted(std::size_t n, std::string_view one, std::string_view several) {
  return std::to_string(n) + " " + std::string(n == 1 ? one : several);
}

// The kernel of an operator that writes may record or refuse; which of the two cannot be known statically.
bool may_refuse(const declared_gradient& d) noexcept { return d.writes && d.gradient == gradient_declaration::rule; }

std::string sums_of(std::span<const declared_gradient> all) {
  std::string text = counted(all.size(), "operator", "operators");
  const char* between = ": ";
  const auto add = [&](std::size_t n, std::string_view words) {
    if (n != 0) text += std::exchange(between, ", ") + std::to_string(n) + std::string(words);
  };
  const auto number_of = [&](gradient_declaration what) {
    return static_cast<std::size_t>(std::ranges::count(all, what, &declared_gradient::gradient));
  };
  const auto refusing = static_cast<std::size_t>(std::ranges::count_if(all, may_refuse));
  add(number_of(gradient_declaration::rule) - refusing, " with a rule");
  add(refusing, " with a rule or refusal");
  add(number_of(gradient_declaration::none), " not differentiable");
  add(number_of(gradient_declaration::composite), " composite");
  add(number_of(gradient_declaration::needless), " without tensors");
  add(number_of(gradient_declaration::missing), " without a declaration");
  between = "; ";
  for (const auto& [what, one, several] :
       {std::tuple(gradient_defect::unrefused_write, "unrefused write", "unrefused writes"),
        std::tuple(gradient_defect::uncounted_write, "uncounted write", "uncounted writes"),
        std::tuple(gradient_defect::untracked_view, "untracked view", "untracked views")}) {
    std::size_t n = 0;
    for (const declared_gradient& d : all) n += std::ranges::count(d.findings, what, &gradient_finding::what);
    if (n != 0) text += std::exchange(between, ", ") + counted(n, one, several);
  }
  return text + "\n";
}

// The memory column: whether the operator writes or returns a view, and how autograd is notified.
std::string aliasing_of(const declared_gradient& d) {
  if (!d.writes && !d.views) return "-";
  const std::string what = d.writes ? "writes" : "view";
  switch (d.aliases) {
    case alias_declaration::needless: return what + ", detached";
    case alias_declaration::kernel: return what + (d.writes ? ", counted" : ", tracked");
    case alias_declaration::composite: return what + ", by its parts";
    case alias_declaration::declined: return what + ", declined";
    case alias_declaration::missing: return what + (d.writes ? ", uncounted" : ", untracked");
  }
  return what;
}

}  // namespace

std::string to_string(std::span<const declared_gradient> all) {
  std::vector<std::array<std::string, 4>> lines{{"operator", "gradient", "memory", "registered at"}};
  for (const declared_gradient& d : all)
    lines.push_back({d.op, may_refuse(d) ? "rule or refusal" : std::string(name_of(d.gradient)), aliasing_of(d),
                     to_string(d.place)});
  std::array<std::size_t, 3> widths{};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) text += line[i] + std::string(widths[i] + 2 - line[i].size(), ' ');
    text += line[3];
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  bool first = true;
  for (const declared_gradient& d : all) {
    for (const gradient_finding& f : d.findings)
      text += (std::exchange(first, false) ? "\nfound\n  " : "  ") + f.sentence + "\n";
  }
  return text + "\n" + sums_of(all);
}

}  // namespace topbit
