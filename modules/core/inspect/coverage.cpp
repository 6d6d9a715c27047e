module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :inspect.wording;

namespace topbit {

using detail::known_kernel;
using detail::known_live;
using detail::known_operator;

std::string_view name_of(inspect::shadow_reason r) noexcept {
  switch (r) {
    case inspect::shadow_reason::overridden: return "overridden";
    case inspect::shadow_reason::unselected: return "unselected";
    case inspect::shadow_reason::composite: return "composite";
    case inspect::shadow_reason::ambiguous: return "ambiguous";
  }
  return "unknown";
}

namespace {

struct subject {
  const known_operator* op;
  const detail::known_fallbacks* fallbacks;
};

// The autograd key of arguments with this key; nullopt if the key is not a backend's.
std::optional<dispatch_key> carried_autograd_key(dispatch_key k) {
  if (k.layer == functionality::undefined || k.layer > functionality::NestedTensor) return std::nullopt;
  if (k.layer == functionality::NestedTensor) return key::AutogradNestedTensor;
  return author::autograd_key_of(k.device);
}

// Reports the shadowed kernels of one operator, overridden ones first.
class shadows {
 public:
  shadows(const subject& s, std::vector<inspect::shadowed_kernel>& out)
      : op_(*s.op), live_(s.op->kernels, *s.fallbacks), out_(out) {}

  void find() {
    std::vector<const known_kernel*> kernels;
    for (const known_kernel& k : op_.kernels) kernels.push_back(&k);
    std::ranges::stable_sort(kernels, {}, [](const known_kernel* k) { return detail::order_of(k->key); });
    for (const known_kernel* k : kernels) {
      const known_kernel* active = live_.at(k->key);
      if (active != k)
        add(*k, inspect::shadow_reason::overridden, {}, active->place,
            "is overridden by the newer one at " + to_string(active->place));
      else if (k->key.is_alias())
        find_unselected(*k);
      else if (k->form != inspect::kernel_form::fallthrough)
        find_carried(*k);
    }
  }

 private:
  void add(const known_kernel& k, inspect::shadow_reason why, dispatch_key at, const inspect::source_location& by,
           const std::string& text) {
    if (k.form == inspect::kernel_form::generated) return;  // generated kernels are meant to be overridden
    out_.push_back(
        {op_.name, k.key, k.place, why, at, by,
         op_.name + ": the kernel for " + to_string(k.key) + detail::registered_text(k.place) + ", " + text});
  }

  void find_unselected(const known_kernel& k) {
    for (unsigned slot = 0; slot < author::row_count; ++slot) {
      if (detail::choose_for_slot(live_, slot, [](auto&&...) {}).from == &k) return;
    }
    add(k, inspect::shadow_reason::unselected, {}, {},
        "is held by none of the slots it stands for: each has one that comes first");
  }

  void find_carried(const known_kernel& k) {
    const auto at = carried_autograd_key(k.key.row);
    if (!at) return;
    const inspect::table_row row = detail::row_at(live_, *at);
    const std::string carrying = "cannot be reached by arguments that carry " + to_string(*at) + ": ";
    const std::string remedy = "; register one for " + to_string(*at) + ", or call below autograd";
    if (row.why == inspect::row_reason::ambiguous)
      add(k, inspect::shadow_reason::ambiguous, *at, {},
          carrying + "beside a composite kernel, calls throw there" + remedy);
    else if (row.why == inspect::row_reason::composite_kernel || row.why == inspect::row_reason::nested_kernel)
      add(k, inspect::shadow_reason::composite, *at, row.place,
          carrying + "the slot holds the " + detail::content_of(row) + remedy);
  }

  const known_operator& op_;
  const known_live live_;
  std::vector<inspect::shadowed_kernel>& out_;
};

inspect::coverage_report report(std::span<const subject> subjects, std::span<const dispatch_key> keys) {
  inspect::coverage_report out;
  out.keys.assign(keys.begin(), keys.end());
  if (keys.empty()) {
    std::array<bool, author::row_count> used{};
    for (const subject& s : subjects) {
      for (const known_kernel& k : s.op->kernels) {
        if (!k.key.is_alias() && k.form != inspect::kernel_form::generated) used[detail::slot_index(k.key.row)] = true;
      }
      for (unsigned slot = 0; slot < author::row_count; ++slot) used[slot] |= s.fallbacks->of_slot[slot] != 0;
    }
    for (unsigned slot = 0; slot < author::row_count; ++slot) {
      if (used[slot]) out.keys.push_back(author::key_of_row(slot));
    }
  }
  for (const subject& s : subjects) {
    const known_live live(s.op->kernels, *s.fallbacks);
    inspect::coverage_row& line = out.operators.emplace_back(s.op->name);
    for (dispatch_key k : out.keys) {
      line.cells.push_back(s.op->definitions.empty() ? inspect::table_row{k} : detail::row_at(live, k));
    }
    shadows(s, out.shadowed).find();
  }
  return out;
}

}  // namespace

inspect::coverage_report coverage(const registry& r, std::span<const dispatch_key> keys) {
  const detail::registry_snapshot all = detail::take_snapshot(r);
  std::vector<subject> subjects;
  for (const known_operator& op : all.operators) {
    if (!op.definitions.empty()) subjects.push_back({&op, &all.fallbacks});
  }
  return report(subjects, keys);
}

inspect::coverage_report coverage(std::span<const operator_handle> operators, std::span<const dispatch_key> keys) {
  std::vector<detail::snapshot> all;
  for (operator_handle op : operators) all.push_back(detail::take_snapshot(op));
  std::vector<subject> subjects;
  for (const detail::snapshot& s : all) subjects.push_back({&s.op, &s.fallbacks});
  return report(subjects, keys);
}

std::string_view inspect::word_of(const inspect::table_row& cell) noexcept {
  if (cell.why == inspect::row_reason::transparent) return "passes";
  if (cell.passes) return "fallthrough";
  if (!cell.word.empty()) return cell.word;
  switch (cell.why) {
    case inspect::row_reason::kernel: return "kernel";
    case inspect::row_reason::default_backend_kernel: return "default";
    case inspect::row_reason::nested_kernel: return "nested";
    case inspect::row_reason::ambiguous: return "ambiguous";
    case inspect::row_reason::composite_kernel: return "composite";
    case inspect::row_reason::autograd_kernel: return "autograd";
    case inspect::row_reason::batched_kernel: return "batched";
    case inspect::row_reason::layout_kernel: return "layout";
    case inspect::row_reason::autocast_kernel: return "autocast";
    case inspect::row_reason::backend_fallback: return "fallback";
    default: return "-";
  }
}

std::string to_string(const inspect::coverage_report& r, std::size_t width) {
  std::vector<std::vector<std::string>> lines(1);
  lines[0].push_back("operator");
  for (dispatch_key k : r.keys) lines[0].push_back(to_string(k));
  for (const inspect::coverage_row& row : r.operators) {
    auto& line = lines.emplace_back();
    line.push_back(row.op);
    for (const inspect::table_row& cell : row.cells) line.emplace_back(inspect::word_of(cell));
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (std::size_t first = 1, last = 1; text.empty() || first < widths.size(); first = last) {
    // Columns [first, last) fit into the width; at least one column is printed.
    std::size_t used = widths[0];
    for (last = first; last < widths.size(); ++last) {
      used += 2 + widths[last];
      if (width != 0 && used > width && last > first) break;
    }
    if (!text.empty()) text += "\n";
    for (const auto& line : lines) {
      text += line[0];
      for (std::size_t i = first, gap = widths[0] - line[0].size(); i < last; ++i) {
        text += std::string(gap + 2, ' ') + line[i];
        gap = widths[i] - line[i].size();
      }
      text += "\n";
    }
  }
  if (!r.shadowed.empty()) text += "out of reach\n";
  for (const inspect::shadowed_kernel& k : r.shadowed) text += "  " + k.sentence + "\n";
  return text;
}

}  // namespace topbit
