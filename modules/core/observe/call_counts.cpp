module topbit.core;

import topbit.std;

namespace topbit {

namespace {

std::mutex& lock_of_counts() {
  static std::mutex& mutex = author::hold_at_fork(*new std::mutex, author::fork_order::leaf);
  return mutex;
}

}  // namespace

struct author::call_counts::counts {
  std::map<std::string, std::uint64_t> by_op;
};

void author::call_counts::add(std::string_view op) {
  const std::lock_guard lock(lock_of_counts());
  if (counts_ == nullptr) counts_ = new counts;
  ++counts_->by_op[std::string(op)];
}

std::vector<author::call_count> author::call_counts::report() const {
  std::vector<call_count> rows;
  {
    const std::lock_guard lock(lock_of_counts());
    if (counts_ == nullptr) return rows;
    for (const auto& [op, calls] : counts_->by_op) rows.push_back({op, calls});
  }
  std::ranges::stable_sort(rows, [](const call_count& a, const call_count& b) { return a.calls > b.calls; });
  return rows;
}

void author::call_counts::reset() {
  const std::lock_guard lock(lock_of_counts());
  if (counts_ != nullptr) counts_->by_op.clear();
}

std::string author::to_string(std::span<const call_count> report) {
  std::vector<std::vector<std::string>> lines{{"operator", "calls"}};
  for (const call_count& row : report) lines.push_back({row.op, std::to_string(row.calls)});
  return table_text(lines, 1);
}

std::string author::table_text(std::span<const std::vector<std::string>> lines, std::size_t first_number) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& line : lines) {
    widths.resize(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string padding(widths[i] - line[i].size(), ' ');
      if (i != 0) text += "  ";
      text += i < first_number ? line[i] + padding : padding + line[i];
    }
    text += '\n';
  }
  return text;
}

}  // namespace topbit
