// bench_kernels: topbit's operators beside other libraries and beside what the machine can do.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "machine.h"
#include "measure.h"
#include "peers.h"
#include "plot_data.h"
#include "problems.h"
#include "progress.h"
#include "results.h"
#include "runner.h"
#include "tables.h"

namespace bench {

namespace {

struct options {
  bool quick = false, list = false, serving = false;
  std::vector<std::string> filters, from;
  std::string json, plots, page;
  unsigned seed = 1;
};

bool chosen(const problem& p, const std::vector<std::string>& filters) {
  return filters.empty() ||
         std::ranges::any_of(filters, [&](const std::string& f) { return p.name().find(f) != std::string::npos; });
}

result result_of(const problem& p, const contender& c, const timing& t) {
  result r{c.name, c.setting, c.threads, c.yardstick, t.median, t.low, t.high, 0};
  const double amount = c.flops != 0 ? c.flops * 1e-9 : p.per_call();
  if (!p.timed()) {
    r.rate = c.bytes;
  } else if (p.unit == "ns" || p.unit == "us") {
    r.rate = t.median / p.parts * (p.unit == "ns" ? 1e9 : 1e6);
  } else {
    r.rate = amount / t.median;
  }
  return r;
}

std::vector<std::pair<std::string, std::string>> header(
    const std::map<std::string, std::string>& chosen_by_themselves) {
  std::vector<std::pair<std::string, std::string>> all{
      {"machine", processor_model()},
      {"caches", cache_sizes()},
      {"clock", three_digits(clock_ghz()) + " GHz, measured"},
      {"compiler", compiler()},
  };
  for (const peer& p : peers()) {
    if (!p.yardstick) all.emplace_back(p.name, p.version + " (" + p.setting + ")");
  }
  for (const auto& [name, text] : chosen_by_themselves) all.emplace_back(name + ", as it chooses itself", text);
  return all;
}

using settings = std::map<std::string, std::string>;

// A second process may have chosen what this one was told to: that is measured once.
template <class Found, class Seen>
bool is_new(const Found& found, const std::vector<Seen>& seen, const std::string Seen::* name) {
  return std::ranges::none_of(seen, [&](const Seen& s) { return s.*name == found.name && s.setting == found.setting; });
}

std::vector<measured_error> errors_of(const std::string& function, const std::vector<runner*>& runners) {
  std::vector<measured_error> all;
  for (runner* one : runners) {
    for (const function_error& e : one->errors(function)) {
      if (!is_new(e, all, &measured_error::by)) continue;
      all.push_back(
          {function, e.name, e.setting, e.greatest.ulp, e.greatest.worse, e.greatest.ulp_beyond, e.greatest.special});
    }
  }
  return all;
}

// `others`: what peers of the second process said that they had chosen.
measured_row row_of(const problem& p, std::size_t place, const std::vector<runner*>& runners, const effort& how,
                    std::mt19937& random, settings& others) {
  std::vector<contender> contenders;
  std::vector<entrant> entrants;
  for (runner* one : runners) {
    const std::vector<contender> before = contenders, found = one->prepare(place);
    for (std::size_t c = 0; c < found.size(); ++c) {
      if (one != runners[0]) others[found[c].name] = found[c].version + " (" + found[c].setting + ")";
      if (!is_new(found[c], before, &contender::name)) continue;
      contenders.push_back(found[c]);
      entrants.push_back({one, c});
    }
  }
  const std::vector<timing> timings =
      p.timed() ? measure(entrants, how, p.how != form::unmapped, random) : std::vector<timing>(entrants.size());
  measured_row row{.name = p.name(),
                   .family = p.family,
                   .operation = p.operation,
                   .form = name_of(p.how),
                   .label = p.label,
                   .unit = p.unit,
                   .size = static_cast<double>(p.size),
                   .bytes = p.bytes,
                   .flops = p.flops,
                   .threads = p.threads};
  for (std::size_t c = 0; c < contenders.size(); ++c) row.results.push_back(result_of(p, contenders[c], timings[c]));
  for (runner* one : runners) one->drop();
  return row;
}

report measure_all(const options& o, const std::vector<std::string>& child_words) {
  const std::vector<problem> all = problems(o.quick);
  std::vector<std::size_t> wanted;
  std::vector<std::string> measured;  // functions
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!chosen(all[i], o.filters)) continue;
    wanted.push_back(i);
    const std::string& operation = all[i].operation;
    if (all[i].family == "functions" && std::ranges::find(measured, operation) == measured.end()) {
      measured.push_back(operation);
    }
  }
  if (wanted.empty()) throw std::runtime_error("found no row that matches the filter, wanted one of --list");

  const std::unique_ptr<runner> here = local_runner(all, false);
  std::unique_ptr<runner> child;
  std::vector<runner*> runners{here.get()};
  if (has_settings() && std::ranges::any_of(peers(), &peer::has_settings)) {
    child = child_runner(child_words);
    runners.push_back(child.get());
  }

  report r;
  settings others;
  std::mt19937 random(o.seed);
  progress steps(wanted.size() + measured.size());
  for (const std::string& function : measured) {
    steps.next("error of " + function);
    const std::vector<measured_error> found = errors_of(function, runners);
    r.errors.insert(r.errors.end(), found.begin(), found.end());
  }
  for (const std::size_t i : wanted) {
    steps.next(all[i].name());
    effort how;
    if (o.quick) how = {.round = 5e-5, .rounds = 3, .least_rounds = 3, .row = 0.1};
    if (all[i].threads > 1 && !o.quick) how.rest = 0.01;
    r.rows.push_back(row_of(all[i], i, runners, how, random, others));
  }
  r.header = header(others);
  return r;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error("could not write '" + path + "'");
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!(text << file.rdbuf())) throw std::runtime_error("could not read '" + path + "'");
  return text.str();
}

int run(const options& o, std::vector<std::string> words) {
  if (o.list) {
    for (const problem& p : problems(o.quick)) std::cout << p.name() << '\n';
    return 0;
  }
  if (o.serving) {
    serve(*local_runner(problems(o.quick), true));
    return 0;
  }
  report r;
  const std::string page = o.page.empty() ? "" : read(o.page);
  if (!o.page.empty()) with_report(page, r);  // throws now rather than after the work
  if (o.from.empty()) {
    words = {words[0], "--child"};
    if (o.quick) words.emplace_back("--quick");
    r = measure_all(o, words);
  }
  for (const std::string& path : o.from) merge(r, read_report(path));
  if (o.from.size() > 1) {
    r.header.emplace_back("rows", "from " + std::to_string(o.from.size()) + " runs, each row from one");
  }
  for (const auto& [name, text] : r.header) std::cout << name << ": " << text << '\n';
  for (const text_table& t : tables(r)) print(std::cout, t);
  std::cout << "(* not compared: its error is greater than topbit's bound)\n";
  print(std::cout, cost_table(r));
  if (!o.json.empty()) write(o.json, to_json(r));
  if (!o.plots.empty()) write_plot_data(r, o.plots);
  if (!o.page.empty()) write(o.page, with_report(page, r));
  return 0;
}

}  // namespace

}  // namespace bench

int main(int argc, char** argv) {
  bench::options o;
  CLI::App app(
      "Measures topbit's operators beside other libraries and what the machine can do, in rounds of random order "
      "on one core. Every result is checked before it is timed.\n\nStatus: 0, 1 for a wrong result or a file that "
      "cannot be read or written, else words that were not understood.");
  app.add_flag("--quick", o.quick, "small sizes, few rounds: to see that it works");
  app.add_flag("--list", o.list, "the names of the rows, and no more");
  app.add_option("--filter", o.filters, "rows whose name contains this: family/operation/result/size")->delimiter(',');
  app.add_option("--json", o.json, "writes what was found")->take_last();
  app.add_option("--from", o.from,
                 "reads what --json wrote instead of measuring; of several, later rows replace earlier");
  app.add_option("--plots", o.plots, "writes the numbers for plots/draw.sh into this folder")->take_last();
  app.add_option("--page", o.page, "replaces the made part of this page, docs/performance.md");
  app.add_option("--seed", o.seed, "of the order in the rounds");
  app.add_flag("--child", o.serving)->group("");
  CLI11_PARSE(app, argc, argv);
  try {
    if (o.from.empty() && !o.list) bench::restart_with_settings(argv);
    return bench::run(o, {argv[0]});
  } catch (const std::exception& e) {
    std::cerr << "bench_kernels: " << e.what() << '\n';
    return 1;
  }
}
