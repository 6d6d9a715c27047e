#include "plot_data.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>

namespace bench {

namespace {

namespace fs = std::filesystem;

class output {
 public:
  output(const fs::path& folder, const std::string& name) : path_(folder / name), file_(path_) {}
  ~output() noexcept(false) {
    if (!file_.flush() && std::uncaught_exceptions() == 0) {
      throw std::runtime_error("could not write '" + path_.string() + "'");
    }
  }
  template <class T>
  output& operator<<(const T& what) {
    file_ << what;
    return *this;
  }

 private:
  fs::path path_;
  std::ofstream file_;
};

// A series has one colour in all panels: libraries first, topbit before all.
struct series {
  std::vector<std::string> libraries, loops;
  void see(const measured_row& row) {
    for (const result& one : row.results) {
      std::vector<std::string>& among = one.yardstick ? loops : libraries;
      const std::string name = heading(row, one);
      if (std::ranges::find(among, name) == among.end()) among.push_back(name);
    }
  }
  std::vector<std::string> all() const {
    std::vector<std::string> both = libraries;
    both.insert(both.end(), loops.begin(), loops.end());
    return both;
  }
};

// gnuplot's text takes an underscore for the beginning of an index.
std::string plain(std::string text) {
  std::ranges::replace(text, '_', ' ');
  return text;
}

// A name has one style, of plots/common.gp, in all figures: a library's second setting has another than its first.
int style_of(const std::vector<std::string>& names, std::size_t which) {
  struct style {
    const char* begins;
    int first, second;
  };
  for (const style& s : {style{"topbit", 1, 1},
                         {"libtorch", 2, 3},
                         {"Eigen", 4, 4},
                         {"OpenBLAS", 5, 6},
                         {"loop", 21, 21},
                         {"streaming", 22, 22},
                         {"AVX-512", 23, 23},
                         {"AVX2", 24, 24}}) {
    if (!names[which].starts_with(s.begins)) continue;
    const auto begins = [&](const std::string& name) { return name.starts_with(s.begins); };
    return std::ranges::none_of(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(which), begins) ? s.first
                                                                                                           : s.second;
  }
  return 7;
}

void write_names(output& to, const std::vector<std::string>& names) {
  to << "array names[" << names.size() << "]\narray styles[" << names.size() << "]\n";
  for (std::size_t i = 0; i < names.size(); ++i) {
    to << "names[" << i + 1 << "] = '" << plain(names[i]) << "'\nstyles[" << i + 1 << "] = " << style_of(names, i)
       << '\n';
  }
}

std::string rate(const measured_row& row, const std::string& name) {
  for (const result& one : row.results) {
    if (heading(row, one) == name) return std::to_string(one.rate);
  }
  return "-";
}

struct panel {
  std::string title;
  std::vector<const measured_row*> rows;
};

// Panels of one figure, whose x is the size of the row. Nothing is written for a figure without rows.
void figure(const fs::path& folder, const std::string& name, const std::string& unit,
            const std::vector<panel>& panels) {
  series s;
  for (const panel& p : panels) {
    for (const measured_row* row : p.rows) s.see(*row);
  }
  if (s.libraries.empty()) return;
  output variables(folder, name + ".gp");
  variables << "unit = '" << unit << "'\nlibraries = " << s.libraries.size() << "\nloops = " << s.loops.size()
            << "\npanels = " << panels.size() << "\narray titles[" << panels.size() << "]\narray files["
            << panels.size() << "]\n";
  write_names(variables, s.all());
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const std::string file = name + "_" + std::to_string(i + 1) + ".tsv";
    variables << "titles[" << i + 1 << "] = '" << plain(panels[i].title) << "'\nfiles[" << i + 1 << "] = '" << file
              << "'\n";
    output out(folder, file);
    out << "size";
    for (const std::string& one : s.all()) out << '\t' << one;
    out << '\n';
    for (const measured_row* row : panels[i].rows) {
      out << row->size;
      for (const std::string& one : s.all()) out << '\t' << rate(*row, one);
      out << '\n';
    }
  }
}

// One panel for each operation of a family, in the order of its rows; those of one form only.
std::vector<panel> panels(const report& r, const std::string& family, const std::vector<std::string>& forms,
                          const std::vector<std::string>& operations = {}) {
  std::vector<panel> found;
  for (const measured_row& row : r.rows) {
    if (row.family != family || std::ranges::find(forms, row.form) == forms.end()) continue;
    if (!operations.empty() && std::ranges::find(operations, row.operation) == operations.end()) continue;
    const std::string title = row.operation + (forms.size() == 1   ? ""
                                               : row.form == "new" ? ", new result"
                                                                   : ", into a given result");
    if (found.empty() || found.back().title != title) found.push_back({title, {}});
    found.back().rows.push_back(&row);
  }
  return found;
}

// What a row is in the figure, as plots/roofline.gp counts it; 0: it is not there.
int roofline_group(const measured_row& row) {
  if (row.family == "elementwise" && row.operation == "add" && row.form == "given") return 1;
  if (row.family == "reductions" && row.operation == "sum") return 2;
  if (row.family == "matmul" && row.operation == "matmul") return 3;
  if (row.operation == "conv2d") return 4;
  return row.operation == "attention" ? 5 : 0;
}

void roofline(const report& r, const fs::path& folder) {
  const measured_row* peak = find(r, "limits/fma/given/float32");
  if (peak == nullptr) return;
  output variables(folder, "roofline.gp");
  std::size_t roofs = 0;
  for (const result& one : peak->results) {
    variables << "peak_" << ++roofs << " = " << one.rate << "\npeak_name_" << roofs << " = '" << one.by << "'\n";
  }
  variables << "peaks = " << roofs << '\n';
  std::size_t levels = 0;
  for (const measured_row& row : r.rows) {
    if (row.family != "limits" || row.operation != "triad") continue;
    double best = 0;
    for (const result& one : row.results) best = std::max(best, one.rate);
    variables << "bandwidth_" << ++levels << " = " << best << "\nbandwidth_name_" << levels << " = '" << row.label
              << "'\n";
  }
  variables << "bandwidths = " << levels << '\n';

  output points(folder, "roofline.tsv");
  points << "intensity\trate\tname\tgroup\n";
  for (const measured_row& row : r.rows) {
    const result* own = best_of(row, "topbit");
    const int group = roofline_group(row);
    if (group == 0 || own == nullptr || own->seconds == 0) continue;
    points << row.flops / row.bytes << '\t' << row.flops / own->seconds * 1e-9 << '\t' << (group <= 3 ? row.label : "")
           << '\t' << group << '\n';
  }
}

// For each function one panel: how far from exact and how fast, at one size.
void accuracy(const report& r, const fs::path& folder) {
  std::vector<const measured_row*> rows;
  series s;
  for (const measured_row& row : r.rows) {
    if (row.family != "functions" || row.form != "given" || row.size != 100'000) continue;
    rows.push_back(&row);
    s.see(row);
  }
  if (rows.empty() || r.errors.empty()) return;
  output variables(folder, "accuracy.gp");
  variables << "libraries = " << s.libraries.size() << "\npanels = " << rows.size() << "\narray titles[" << rows.size()
            << "]\narray files[" << rows.size() << "]\n";
  write_names(variables, s.libraries);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string file = "accuracy_" + std::to_string(i + 1) + ".tsv";
    variables << "titles[" << i + 1 << "] = '" << rows[i]->operation << "'\nfiles[" << i + 1 << "] = '" << file
              << "'\n";
    output out(folder, file);
    out << "ulp";
    for (const std::string& one : s.libraries) out << '\t' << one;
    out << '\n';
    for (const result& one : rows[i]->results) {
      const std::optional<double> ulp = error_of(r, rows[i]->operation, one);
      if (!ulp) continue;
      // Beyond the axis there is one place for all.
      out << std::min(*ulp, 64.0);
      for (const std::string& name : s.libraries) {
        out << '\t' << (heading(*rows[i], one) == name ? std::to_string(one.rate) : "-");
      }
      out << '\n';
    }
  }
}

}  // namespace

void write_plot_data(const report& r, const std::string& where) {
  const fs::path folder = where;
  fs::create_directories(folder);
  figure(folder, "elementwise", "GB/s", panels(r, "elementwise", {"given", "new"}, {"add", "relu", "copy"}));
  figure(folder, "functions", "1e9 elements/s", panels(r, "functions", {"given"}));
  figure(folder, "reductions", "GB/s", panels(r, "reductions", {"new"}));
  figure(folder, "rows", "GB/s", panels(r, "rows", {"given"}, {"softmax", "log_softmax"}));
  figure(folder, "matmul", "GFLOP/s", panels(r, "matmul", {"given"}, {"matmul"}));
  figure(folder, "small", "ns", panels(r, "small", {"new", "given"}, {"empty", "add", "sum", "exp"}));
  roofline(r, folder);
  accuracy(r, folder);
}

}  // namespace bench
