// bench_operators: every operator of topbit beside PyTorch's.
#include <dlfcn.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "../kernels/machine.h"
#include "../kernels/progress.h"
#include "report.h"
#include "side.h"
#include "speedup.h"

namespace bench::operators {

namespace {

struct options {
  choice cells;
  sweep_options how;
  bool list = false;
  std::string torch, before, json, svg, markdown;
};

// What glibc reads when a program begins: keep all memory that was ever allocated, since with its own settings each
// large result of PyTorch is memory that the system has just given, and faults page by page. topbit keeps its memory
// itself.
void keep_memory() {
  setenv("MALLOC_MMAP_MAX_", "0", 1);
  setenv("MALLOC_TRIM_THRESHOLD_", "-1", 1);
  setenv("MALLOC_TOP_PAD_", "268435456", 1);
}

library* opened(const std::string& path) {
  void* file = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) throw std::runtime_error(std::string("could not load PyTorch's cells: ") + dlerror());
  const auto made = reinterpret_cast<library_function>(dlsym(file, library_function_name));
  if (made == nullptr)
    throw std::runtime_error("found no " + std::string(library_function_name) + " in '" + path +
                             "', wanted what bench/operators/torch/build.sh makes");
  return made();
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw std::runtime_error("could not read '" + path + "'");
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw std::runtime_error("could not write '" + path + "'");
}

std::vector<std::pair<std::string, std::string>> header(const options& o, library& topbit, library* torch) {
  const auto described = [](library& one) { return std::string(one.version()) + " (" + one.setting() + ")"; };
  return {{"machine", processor_model()},
          {"caches", cache_sizes()},
          {"compiler", compiler()},
          {"topbit", described(topbit)},
          {"pytorch", torch != nullptr ? described(*torch) + ", with a malloc that keeps memory"
                                       : "none: found no library for --torch, so these are topbit's times alone"},
          {"threads", std::to_string(o.how.threads)},
          {"rounds", "at most " + std::to_string(o.how.rounds) + ", medians; " +
                         (o.how.threads > 1 ? "time on the clock" : "processor time of the thread")},
          {"seed", std::to_string(o.cells.seed)}};
}

int run(const options& o) {
  const std::vector<operation> all = operations();
  const std::vector<planned_cell> planned = plan(all, o.cells);
  if (o.list) {
    for (const planned_cell& cell : planned) std::cout << full_name(all[cell.operation], cell.size) << '\n';
    return 0;
  }
  // Read before the minutes that the cells take.
  const std::string before = o.before.empty() ? std::string() : text_of(o.before);
  library& topbit = this_library();
  library* torch = o.torch.empty() ? nullptr : opened(o.torch);
  sweep_report r{header(o, topbit, torch), {}, torch != nullptr};
  {
    progress steps(planned.size());
    r.cells = sweep(all, planned, topbit, torch, o.how, [&](const std::string& name) { steps.next(name); });
  }
  print(std::cout, r);
  write(o.json, to_json(r));
  write(o.svg, to_svg(r));
  std::string page = to_markdown(r);
  if (!o.before.empty()) {
    const std::vector<speedup> gains = speedups_of(r.cells, before);
    print(std::cout, gains);
    page += to_markdown(gains);
  }
  write(o.markdown, page);
  return std::ranges::all_of(r.cells, [](const measured_cell& cell) { return cell.problem.empty(); }) ? 0 : 1;
}

}  // namespace

}  // namespace bench::operators

int main(int argc, char** argv) {
  bench::operators::options o;
  CLI::App app(
      "Measures every operator of topbit, forward and backward, beside PyTorch's, in rounds of random order in one "
      "process. The results of both are compared before anything is timed.\n\n"
      "Status: 0; 1 where results differ, a cell could not be run, or a file could not be read or written; else words "
      "that were not understood.");
  app.add_option(
      "--torch", o.torch,
      "for ./dev bench operators a folder, site-packages/torch; for the program itself the shared library that "
      "bench/operators/torch/build.sh makes of it; without it topbit alone");
  app.add_option("--family", o.cells.families, "cells of these families: unary, reduce, backward, ...")->delimiter(',');
  app.add_option("--filter", o.cells.filter, "cells in whose family/operator/size this regular expression is found")
      ->take_last();
  app.add_option("--sizes", o.cells.sizes, "cells whose size begins with one of these words: S,M,L,1e6,256,drawn")
      ->delimiter(',');
  app.add_option("--draw", o.cells.drawn,
                 "so many cells more, with shapes drawn from the seed; --sizes drawn: no others")
      ->check(CLI::Range(0, 1000000));
  app.add_option("--seed", o.cells.seed, "of the drawn shapes and of the order in the rounds");
  app.add_option("--rounds", o.how.rounds, "at most, 15 otherwise; fewer than 3 are made where they are asked for")
      ->check(CLI::Range(1, 100000));
  app.add_option("--seconds", o.how.seconds, "for all cells together, about; each has three rounds at least")
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--threads", o.how.threads, "of both libraries, 1 otherwise")->check(CLI::Range(1, 1024));
  app.add_option("--before", o.before,
                 "what --json wrote of an earlier run: prints by family how much faster the cells are now")
      ->take_last();
  app.add_option("--json", o.json, "writes what was found")->take_last();
  app.add_option("--svg", o.svg, "draws the times of both libraries")->take_last();
  app.add_option("--markdown", o.markdown, "writes the tables of docs/performance.md: every cell over 1.00")
      ->take_last();
  app.add_flag("--list", o.list, "the names of the cells, and no more");
  CLI11_PARSE(app, argc, argv);
  try {
    bench::operators::keep_memory();
    bench::restart_with_settings(argv);
    o.how.seed = static_cast<unsigned>(o.cells.seed);
    return bench::operators::run(o);
  } catch (const std::exception& e) {
    std::cerr << "bench_operators: " << e.what() << '\n';
    return 1;
  }
}
