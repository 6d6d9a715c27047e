// bench_compile: what it costs to compile programs that use topbit, with the very command this build uses.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "../dispatch/table.h"
#include "command.h"
#include "measure.h"
#include "profile.h"
#include "programs.h"

namespace {

namespace fs = std::filesystem;
using value = std::optional<double>;

constexpr std::size_t goals_are_for = 1000;  // operators

struct options {
  std::size_t operators = goals_are_for, repetitions = 3;
  double budget = 60;  // seconds for one program
  std::string commands = BENCH_COMPILE_COMMANDS, probe = BENCH_COMPILE_PROBE;
  std::string folder = BENCH_COMPILE_FOLDER, scanner = BENCH_COMPILE_SCANNER;
  std::string json, trace, only;
  bool help = false;
};

const char* const help_text =
    "usage: bench_compile [options]\n"
    "Compiles programs that use topbit, each several times, and prints what that takes beside what it may take.\n"
    "\n"
    "  --operators N      operators in the largest programs (1000; goals are for 1000)\n"
    "  --repetitions N    times each program is compiled (3)\n"
    "  --budget SECONDS   a program is not compiled again once it took so long (60)\n"
    "  --only NAME        only this program, chain/100, or all sizes of it, chain; most costs are made of several\n"
    "  --json FILE        writes the figures\n"
    "  --trace DIR        instead of measuring, keeps clang's time traces there and prints where the time went\n"
    "  --folder DIR       where programs and objects are written\n"
    "  --commands FILE    another build's compile_commands.json\n"
    "\n"
    "ends with 0, 1 where a program did not compile or a file could not be written, 2 for wrong arguments\n";

struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

double number(const std::string& name, const std::string& text, double least) {
  char* end = nullptr;
  const double found = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != 0 || !(found >= least) || found > 1e6) {
    throw usage_error("found " + name + " '" + text + "', wanted a number of at least " +
                      std::to_string(static_cast<int>(least)));
  }
  return found;
}

options parse(const std::vector<std::string>& words) {
  options o;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--help" || word == "-h") {
      o.help = true;
      continue;
    }
    const std::map<std::string, std::string*> texts{
        {"--json", &o.json},     {"--trace", &o.trace},       {"--only", &o.only},
        {"--folder", &o.folder}, {"--commands", &o.commands},
    };
    const auto text = texts.find(word);
    const bool is_number = word == "--operators" || word == "--repetitions" || word == "--budget";
    if (text == texts.end() && !is_number) throw usage_error("found the argument '" + word + "', which is unknown");
    if (++i == words.size()) throw usage_error("found " + word + " without a value");
    if (text != texts.end()) *text->second = words[i];
    if (word == "--operators") o.operators = static_cast<std::size_t>(number(word, words[i], 2));
    if (word == "--repetitions") o.repetitions = static_cast<std::size_t>(number(word, words[i], 1));
    if (word == "--budget") o.budget = number(word, words[i], 0);
  }
  return o;
}

struct job {
  std::string name, source, object;
  std::vector<std::string> words;
  std::vector<measure::run> runs;
  double object_bytes = 0, spent = 0;

  double median_of(double (*part)(const measure::run&)) const {
    std::vector<double> values;
    for (const measure::run& r : runs) values.push_back(part(r));
    return measure::median(values);
  }
  double processor() const {
    return median_of([](const measure::run& r) { return r.processor(); });
  }
  double wall() const {
    return median_of([](const measure::run& r) { return r.wall; });
  }
  double least_processor() const {
    return std::min_element(runs.begin(), runs.end(),
                            [](const measure::run& a, const measure::run& b) { return a.processor() < b.processor(); })
        ->processor();
  }
  double memory() const {
    return median_of([](const measure::run& r) { return r.memory; });
  }
};

std::string first_errors(const std::string& messages) {
  std::ifstream in(messages);
  std::string text;
  int lines = 0;
  for (std::string line; lines < 5 && std::getline(in, line);) {
    if (lines == 0 && line.find("error") == std::string::npos) continue;
    text += "\n    " + line;
    ++lines;
  }
  return text.empty() ? "\n    (no error line; its messages are in " + messages + ")" : text;
}

std::vector<job> write_programs(const options& o, const command::compile& compile) {
  fs::create_directories(o.folder);
  std::vector<job> jobs;
  for (const programs::program& p : programs::all(o.operators)) {
    if (!o.only.empty() && p.name != o.only && p.name.rfind(o.only + "/", 0) != 0) continue;
    job j;
    j.name = p.name;
    std::string stem = p.name;
    std::replace(stem.begin(), stem.end(), '/', '_');
    j.source = (fs::absolute(o.folder) / (stem + ".cpp")).string();
    j.object = (fs::absolute(o.folder) / (stem + ".o")).string();
    j.words = compile.of(j.source, j.object);
    std::ofstream out(j.source);
    if (!(out << p.text).flush()) throw std::runtime_error("could not write '" + j.source + "'");
    jobs.push_back(j);
    if (p.name == "hello" && !o.scanner.empty()) {  // what the build does to a unit before it compiles it
      job scan = j;
      scan.name = "hello, scanned";
      scan.object.clear();
      scan.words = {o.scanner, "-format=p1689", "--"};
      scan.words.insert(scan.words.end(), j.words.begin(), j.words.end());
      jobs.push_back(scan);
    }
  }
  if (jobs.empty())
    throw usage_error("found no program '" + o.only + "', wanted a name as in the table, with or without its number");
  return jobs;
}

void compile_once(job& j, const command::compile& compile, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = j.words;
  words.insert(words.end(), more.begin(), more.end());
  const std::string messages = j.source + ".log";
  const measure::run r = measure::once(words, compile.folder, messages);
  if (!r.compiled) throw std::runtime_error(j.name + " did not compile (" + j.source + "):" + first_errors(messages));
  j.runs.push_back(r);
  j.spent += r.wall;
  if (!j.object.empty()) j.object_bytes = static_cast<double>(fs::file_size(j.object));
}

// In rounds over all programs, so that what else the machine does meets all of them. Returns how many processes wanted
// to run while it went on, this one's compiler among them: a mean of the system's load over the time spent.
double measure_all(const options& o, std::vector<job>& jobs, const command::compile& compile) {
  double weighted = 0, spent = 0;
  for (std::size_t round = 0; round < o.repetitions; ++round) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (round > 0 && jobs[i].spent >= o.budget) continue;
      std::cerr << "round " << round + 1 << " of " << o.repetitions << ", program " << i + 1 << " of " << jobs.size()
                << ": " << jobs[i].name << '\n';
      compile_once(jobs[i], compile);
      double load = 0;
      if (getloadavg(&load, 1) != 1) continue;
      weighted += load * jobs[i].runs.back().wall;
      spent += jobs[i].runs.back().wall;
    }
  }
  return spent > 0 ? weighted / spent : 0;
}

void trace_all(const options& o, std::vector<job>& jobs, const command::compile& compile) {
  fs::create_directories(o.trace);
  for (job& j : jobs) {
    if (j.object.empty()) continue;
    const fs::path file = fs::absolute(o.trace) / fs::path(j.source).stem().replace_extension(".json");
    std::cerr << "tracing " << j.name << '\n';
    // Finer than clang's default of 500 us: most templates take less, and there are many.
    compile_once(j, compile, {"-ftime-trace=" + file.string(), "-ftime-trace-granularity=20"});
    std::cout << '\n' << j.name << ": " << file.string() << '\n';
    profile::print(std::cout, file.string());
  }
}

value operator-(value a, value b) { return a && b ? value(*a - *b) : value(); }
value operator/(value a, value b) { return a && b && *b != 0 ? value(*a / *b) : value(); }
value operator*(value a, double by) { return a ? value(*a * by) : value(); }

std::vector<table::line> costs(const options& o, const std::vector<job>& jobs) {
  const auto find = [&](const std::string& name) {
    return std::find_if(jobs.begin(), jobs.end(), [&](const job& j) { return j.name == name; });
  };
  const auto time = [&](const std::string& name) {
    const auto j = find(name);
    return j == jobs.end() ? value() : value(j->processor());
  };
  const auto size = [&](const std::string& name) {
    const auto j = find(name);
    return j == jobs.end() ? value() : value(j->object_bytes);
  };
  const std::size_t some = std::max<std::size_t>(o.operators / 10, 1);
  const std::string at_many = "/" + std::to_string(o.operators), at_some = "/" + std::to_string(some);
  const value many = static_cast<double>(o.operators), few = static_cast<double>(some), one = 1.0;
  const double per_operator = static_cast<double>(programs::kernels_per_operator);

  const auto each_operator = [&](const std::string& form, const std::string& at, value count) {
    return (time(form + at) - time("operators/1")) / (count - one) * 1000;
  };
  const auto each_kernel = [&](const std::string& form, const std::string& base, const std::string& at, value count) {
    return (time(form + at) - time(base + at)) / (count * per_operator) * 1000;
  };
  const auto each_object = [&](const std::string& form) {
    return (size(form + at_many) - size("operators" + at_many)) / (many * per_operator) / value(1024);
  };

  // The figures of another machine: libtorch 1.13.1 with g++ 12.2 -O2, 19 ms for a kernel with the signature of the one
  // before it, 34 for one with its own, and a unit that only includes the library's and the tensors' headers.
  const value none;
  const bool judged = o.operators == goals_are_for;
  std::vector<table::line> all;
  const auto add = [&](const char* what, const char* unit, value must, value measured, const char* elsewhere = "") {
    const value goal = judged ? must : none;
    all.push_back({what, unit, goal, goal / value(2), measured, none, none, none, elsewhere});
  };
  add("a kernel in a chain, few signatures", "ms", 5, each_kernel("chain", "operators", at_many, many), "19");
  add("a kernel in a chain, varied signatures", "ms", 5, each_kernel("chain_varied", "operators_varied", at_many, many),
      "19-34");
  add("a kernel as a row, few signatures", "ms", 5, each_kernel("rows", "operators", at_many, many), "19");
  add("a kernel as a row, varied signatures", "ms", 5, each_kernel("rows_varied", "operators_varied", at_many, many),
      "19-34");
  add("a declared operator, few signatures", "ms", 2, each_operator("operators", at_many, many));
  add("a declared operator, varied signatures", "ms", 2, each_operator("operators_varied", at_many, many));
  add("hello world that imports topbit, over nothing", "s", 0.6, time("hello") - time("empty"), "4-5.5");
  add("a kernel in a chain, each operator its signature", "ms", none,
      each_kernel("chain_distinct", "operators_distinct", at_some, few), "34");
  add("a kernel as a row, each operator its signature", "ms", none,
      each_kernel("rows_distinct", "operators_distinct", at_some, few), "34");
  add("a kernel in one chain of a tenth, few signatures", "ms", none,
      each_kernel("long_chain", "operators", at_some, few), "19");
  add("def() of an operator in a chain", "ms", none,
      (time("defined" + at_many) - time("operators" + at_many)) / many * 1000);
  add("a declared operator, among all / among a tenth", "x", none,
      each_operator("operators", at_many, many) / each_operator("operators", at_some, few));
  add("a kernel in a chain, among all / among a tenth", "x", none,
      each_kernel("chain", "operators", at_many, many) / each_kernel("chain", "operators", at_some, few));
  add("a kernel as a row, among all / among a tenth", "x", none,
      each_kernel("rows", "operators", at_many, many) / each_kernel("rows", "operators", at_some, few));
  const auto each_call = [&](const std::string& form) { return time(form + at_some) - time("import_topbit"); };
  all.push_back({"a call through a function's name / through a handle", "x", value(1.5), value(1.15),
                 each_call("function_calls") / each_call("handle_calls"), none, none, none, ""});
  add("a call through a function's name", "ms", none, each_call("function_calls") / few * 1000);
  add("import of topbit, over nothing", "s", none, time("import_topbit") - time("empty"));
  add("import of topbit.core alone, over nothing", "s", none, time("import_core") - time("empty"));
  add("scanning hello world for its imports", "s", none, time("hello, scanned"));
  const auto hello = find("hello");
  add("memory of compiling hello world", "MB", none, hello == jobs.end() ? none : value(hello->memory() / 1e6), "495");
  add("object of a registered kernel, in a chain", "KB", none, each_object("chain"));
  add("object of a registered kernel, as a row", "KB", none, each_object("rows"));
  return all;
}

void print_programs(const std::vector<job>& jobs) {
  std::cout << '\n'
            << std::left << std::setw(24) << "program" << std::right << std::setw(6) << "runs" << std::setw(12)
            << "cpu s" << std::setw(12) << "least cpu s" << std::setw(12) << "wall s" << std::setw(10) << "MB"
            << std::setw(12) << "object KB" << '\n';
  for (const job& j : jobs) {
    std::cout << std::fixed << std::setprecision(3) << std::left << std::setw(24) << j.name << std::right
              << std::setw(6) << j.runs.size() << std::setw(12) << j.processor() << std::setw(12) << j.least_processor()
              << std::setw(12) << j.wall() << std::setprecision(0) << std::setw(10) << j.memory() / 1e6
              << std::setprecision(1) << std::setw(12) << j.object_bytes / 1024 << '\n';
  }
  std::cout << "medians, but for the least; cpu is the compiler's user and system time, MB its most resident memory\n";
}

void print_modules(const command::compile& compile) {
  std::cout << '\n'
            << std::left << std::setw(24) << "module" << std::right << std::setw(6) << "files" << std::setw(12) << "KB"
            << '\n';
  command::module_size total;
  const auto row = [](const std::string& name, const command::module_size& m) {
    std::cout << std::left << std::setw(24) << name << std::right << std::setw(6) << m.files << std::setw(12)
              << m.bytes / 1024 << '\n';
  };
  for (const auto& [name, m] : compile.modules) {
    row(name, m);
    total.files += m.files;
    total.bytes += m.bytes;
  }
  row("all that topbit imports", total);
}

nlohmann::ordered_json as_json(value v) { return v ? nlohmann::ordered_json(*v) : nlohmann::ordered_json(); }

void write_json(const options& o, const command::compile& compile, const std::vector<job>& jobs,
                const std::vector<table::line>& lines, double load) {
  nlohmann::ordered_json whole;
  whole["unit"] = "seconds of user and system time of the compiler, median and least; seconds of wall time; bytes";
  whole["compiler"] = BENCH_COMPILE_COMPILER;
  whole["flags"] = compile.flags();
  whole["operators"] = o.operators;
  whole["load"] = load;
  whole["processors"] = std::thread::hardware_concurrency();
  for (const job& j : jobs) {
    whole["programs"][j.name] = {{"runs", j.runs.size()}, {"cpu", j.processor()}, {"least_cpu", j.least_processor()},
                                 {"wall", j.wall()},      {"memory", j.memory()}, {"object", j.object_bytes}};
  }
  for (const auto& [name, m] : compile.modules) whole["modules"][name] = {{"files", m.files}, {"bytes", m.bytes}};
  whole["table"] = nlohmann::ordered_json::array();
  for (const table::line& l : lines) {
    whole["table"].push_back({{"what", l.what},
                              {"unit", l.unit},
                              {"must", as_json(l.must)},
                              {"aim", as_json(l.aim)},
                              {"measured", as_json(l.measured)},
                              {"libtorch_elsewhere", l.elsewhere},
                              {"verdict", l.verdict()}});
  }
  std::ofstream out(o.json);
  if (!(out << whole.dump(2) << '\n').flush()) throw std::runtime_error("could not write '" + o.json + "'");
}

int run(const options& o) {
  const command::compile compile = command::find(o.commands, o.probe);
  std::vector<job> jobs = write_programs(o, compile);
  if (!o.trace.empty()) {
    trace_all(o, jobs, compile);
    return 0;
  }
  const double load = measure_all(o, jobs, compile);
  print_programs(jobs);
  print_modules(compile);
  const std::vector<table::line> lines = costs(o, jobs);
  std::ostringstream note;
  note << "from medians of cpu time; few signatures are " << programs::signatures(programs::mix::few, o.operators)
       << " and varied ones " << programs::signatures(programs::mix::varied, o.operators) << " for " << o.operators
       << " operators\nmean load " << std::fixed << std::setprecision(1) << load << " on "
       << std::thread::hardware_concurrency()
       << " processors: with more than one process for each, cpu time is too high\n"
          "a kernel's cost has its share of its operator's def() in it\n"
          "libtorch 1.13.1 was measured on another machine, with g++ 12.2 -O2: its kernels with one signature 19 ms, "
          "each\n"
          "with its own 34; beside hello world, a unit that only includes its headers";
  table::print(std::cout, lines, {true, false, "libtorch, elsewhere", note.str()});
  if (!o.json.empty()) write_json(o, compile, jobs, lines, load);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const options o = parse({argv + 1, argv + argc});
    if (o.help) {
      std::cout << help_text;
      return 0;
    }
    return run(o);
  } catch (const usage_error& e) {
    std::cerr << "bench_compile: " << e.what() << "; --help says what there is\n";
    return 2;
  } catch (const std::exception& e) {
    std::cerr << "bench_compile: " << e.what() << '\n';
    return 1;
  }
}
