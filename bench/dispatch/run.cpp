// Runs a program's cases: through Google Benchmark for their times, or a fixed number of times for valgrind.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cases.h"
#include "table.h"

// Never inlined and known by this name: callgrind starts a new count whenever it is called. See icount.sh.
extern "C" [[gnu::noinline]] void bench_count_from_here() { asm volatile("" ::: "memory"); }

namespace cases {

std::vector<one>& all() {
  static std::vector<one> cases;
  return cases;
}

namespace {

std::mutex wrong_results_lock;  // a case may run in several threads
std::vector<std::string> wrong_results;

// Keeps the value of every repetition, and shows of them what a person reads.
class collector : public benchmark::BenchmarkReporter {
 public:
  explicit collector(std::unique_ptr<benchmark::BenchmarkReporter> shown) : shown_(std::move(shown)) {}

  bool ReportContext(const Context& context) override { return shown_ == nullptr || shown_->ReportContext(context); }
  void Finalize() override {
    if (shown_ != nullptr) shown_->Finalize();
  }
  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> readable;
    for (const Run& run : runs) {
      const bool single = run.run_type == Run::RT_Iteration;
      if (single) keep(run);
      const bool shown = single ? run.repetitions <= 1 : run.aggregate_name == "median" || run.aggregate_name == "cv";
      if (shown) readable.push_back(run);
    }
    if (shown_ != nullptr && !readable.empty()) shown_->ReportRuns(readable);
  }

  table::numbers medians() const {
    table::numbers result;
    for (const auto& [name, values] : values_) {
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const std::size_t middle = sorted.size() / 2;
      result[name] = sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
    return result;
  }

 private:
  void keep(const Run& run) {
    std::string name = run.run_name.function_name;
    if (!run.run_name.threads.empty()) name += "/" + run.run_name.threads;
    values_[name].push_back(value_of(run));
    // The real time of several threads is that of all their rounds, the processor time the sum of theirs.
    if (run.threads > 1 && run.GetAdjustedRealTime() > 0) {
      const double real = run.GetAdjustedRealTime() * static_cast<double>(run.threads);
      values_[name + "/share"].push_back(run.GetAdjustedCPUTime() / real);
    }
  }
  // Processor time, which other programs on the machine disturb least. It would not show a thread that sleeps: no
  // case here waits for another thread in that way.
  static double value_of(const Run& run) {
    if (const auto bytes = run.counters.find("bytes"); bytes != run.counters.end()) return bytes->second.value;
    if (const auto each = run.counters.find("each"); each != run.counters.end()) return each->second.value * 1e9;
    return run.GetAdjustedCPUTime() / benchmark::GetTimeUnitMultiplier(run.time_unit) * 1e9;
  }

  std::unique_ptr<benchmark::BenchmarkReporter> shown_;
  std::map<std::string, std::vector<double>> values_;
};

// Warmed up, then few rounds between the first two marks and many between the last two: the difference is rounds alone.
int count(const std::vector<std::string>& wanted) {
  for (const one& c : all()) {
    if (!c.count || (!wanted.empty() && std::find(wanted.begin(), wanted.end(), c.name) == wanted.end())) continue;
    counted warm(c.few), few(c.few), many(c.many);
    bool right = c.count(warm);
    bench_count_from_here();
    right &= c.count(few);
    bench_count_from_here();
    right &= c.count(many);
    bench_count_from_here();
    if (!right) {
      std::cerr << c.name << ": wrong result\n";
      return 1;
    }
    std::cout << c.name << ' ' << static_cast<double>(c.many - c.few) * many.units << '\n';
  }
  return 0;
}

struct options {
  bool report = true, table = true, counting = false;
  std::string format = "console";
  std::string json, icount, libtorch, libtorch_icount;
  std::vector<std::string> counted;
  std::vector<char*> rest;  // Google Benchmark's
};

// The program's own flags are taken out; what is left is Google Benchmark's, after defaults it may override.
options parse(int argc, char** argv) {
  static std::string defaults[] = {"--benchmark_repetitions=32", "--benchmark_enable_random_interleaving=true",
                                   "--benchmark_min_time=0.02"};
  options o;
  o.rest.push_back(argv[0]);
  for (std::string& d : defaults) o.rest.push_back(d.data());
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    std::string* file = word == "--json"              ? &o.json
                        : word == "--icount"          ? &o.icount
                        : word == "--libtorch"        ? &o.libtorch
                        : word == "--libtorch-icount" ? &o.libtorch_icount
                                                      : nullptr;
    if (file != nullptr && i + 1 < argc) {
      *file = argv[++i];
    } else if (word == "--table-only") {
      o.report = false;
    } else if (word == "--no-table") {
      o.table = false;
    } else if (word == "--count") {
      o.counting = true;
    } else if (o.counting) {
      o.counted.emplace_back(word);
    } else {
      constexpr std::string_view format = "--benchmark_format=";
      if (word.substr(0, format.size()) == format) o.format = word.substr(format.size());
      o.rest.push_back(argv[i]);
    }
  }
  return o;
}

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const options& o) {
  if (!o.report) return nullptr;
  if (o.format == "json") return std::make_unique<benchmark::JSONReporter>();
  return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
}

table::numbers read_or_say(const std::string& path) {
  if (path.empty()) return {};
  if (auto found = table::read_cases(path)) return *found;
  std::cerr << "found no figures in '" << path << "', wanted a file of icount.sh or of --json\n";
  return {};
}

}  // namespace

int run(int argc, char** argv) {
  options o = parse(argc, argv);
  if (o.counting) return count(o.counted);

  int rest = static_cast<int>(o.rest.size());
  o.rest.push_back(nullptr);
  benchmark::Initialize(&rest, o.rest.data());
  if (benchmark::ReportUnrecognizedArguments(rest, o.rest.data())) return 1;
  for (const one& c : all()) {
    c.arrange(benchmark::RegisterBenchmark(c.name.c_str(), [&c](benchmark::State& state) {
      if (c.time(state)) return;
      state.SkipWithError("wrong result");
      const std::lock_guard lock(wrong_results_lock);
      wrong_results.push_back(c.name);
    }));
  }
  collector seen(make_reporter(o));
  benchmark::RunSpecifiedBenchmarks(&seen);
  benchmark::Shutdown();

  if (!wrong_results.empty()) {
    std::cerr << wrong_results.front() << ": wrong result\n";
    return 1;
  }
  const table::numbers medians = seen.medians();
  if (medians.empty()) return 0;  // only a list was asked for
  const std::vector<table::line> lines =
      table::lines({medians, read_or_say(o.icount)}, {read_or_say(o.libtorch), read_or_say(o.libtorch_icount)});
  std::ostream& out = o.format == "console" ? std::cout : std::cerr;
  const bool libtorch = !o.libtorch.empty();
  if (o.table) {
    table::print(out, lines,
                 {!o.icount.empty(), libtorch, "",
                  std::string("medians of this run; x is a ratio of two of them") +
                      (libtorch ? "; libtorch ran just before" : "")});
  }
  if (!o.json.empty()) {
    std::ofstream file(o.json);
    table::write_json(file, medians, lines);
    if (!file.flush()) {
      std::cerr << "could not write '" << o.json << "'\n";
      return 1;
    }
  }
  return 0;
}

}  // namespace cases
