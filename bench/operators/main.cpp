// bench_operators: every operator of topbit beside PyTorch's, or beside another build's.
#include <dlfcn.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "../kernels/machine.h"
#include "../kernels/progress.h"
#include "beside.h"
#include "child.h"
#include "report.h"
#include "side.h"
#include "speedup.h"

namespace bench::operators {

namespace {

struct options {
  choice cells;
  sweep_options how;
  bool list = false;
  std::string torch, beside, before, json, svg, markdown;
  int runs = 3;
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
  if (file == nullptr) throw std::runtime_error(std::string("could not load cells: ") + dlerror());
  const auto made = reinterpret_cast<library_function>(dlsym(file, library_function_name));
  if (made == nullptr)
    throw std::runtime_error("found no " + std::string(library_function_name) + " in '" + path +
                             "', wanted what bench/operators/torch/build.sh or the target bench_operators_cells makes");
  return made();
}

// The program's own build folder is the one above its own.
std::filesystem::path own_build() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}

std::filesystem::path cells_in(const std::filesystem::path& build) {
  std::filesystem::path file = build / "bin" / "bench_operators_cells.so";
  if (!std::filesystem::exists(file))
    throw std::runtime_error("found no bin/bench_operators_cells.so in '" + build.string() +
                             "', wanted a build folder that has it: cmake --build '" + build.string() +
                             "' --target bench_operators_cells");
  return file;
}

// The loader loads no file twice, so that a build beside itself needs a copy.
library* opened_copy(const std::filesystem::path& of) {
  std::string copy = std::filesystem::temp_directory_path() / "bench_operators_cells.XXXXXX";
  const int file = mkstemp(copy.data());
  if (file < 0) throw std::runtime_error("could not create a file in " + copy);
  close(file);
  std::filesystem::copy_file(of, copy, std::filesystem::copy_options::overwrite_existing);
  library* loaded = opened(copy);
  std::filesystem::remove(copy);
  return loaded;
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

std::string described(library& one) { return std::string(one.version()) + " (" + one.setting() + ")"; }

using header_line = std::pair<std::string, std::string>;

std::vector<header_line> header(const options& o, library& topbit, const header_line& peer) {
  return {{"machine", processor_model()},
          {"caches", cache_sizes()},
          {"compiler", compiler()},
          {"topbit", described(topbit)},
          peer,
          {"threads", std::to_string(o.how.threads)},
          {"rounds", "at most " + std::to_string(o.how.rounds) + ", medians; " +
                         (o.how.threads > 1 ? "time on the clock" : "processor time of the thread")},
          {"seed", std::to_string(o.cells.seed)}};
}

bool all_timed(const std::vector<measured_cell>& cells) {
  return std::ranges::all_of(cells, [](const measured_cell& cell) { return cell.problem.empty(); });
}

// Both builds are loaded in the same way: thread-local variables of a shared library take longer to find than those of
// the program. In every other run the other build is the first to be loaded and to allocate, since where code and data
// come to lie decides over some percent.
int run_beside(const options& o, const std::vector<operation>& all, const std::vector<planned_cell>& planned) {
  const std::filesystem::path own = cells_in(own_build()), others = cells_in(o.beside);
  const bool is_itself = std::filesystem::equivalent(own, others);
  const auto run = [&](int index) -> child_run {
    sweep_options how = o.how;
    how.seed += static_cast<unsigned>(index);
    how.peer_first = index % 2 == 1;
    library* loaded[2];
    loaded[0] = opened(how.peer_first ? others : own);
    loaded[1] = is_itself ? opened_copy(own) : opened(how.peer_first ? own : others);
    library &topbit = *loaded[how.peer_first ? 1 : 0], &other = *loaded[how.peer_first ? 0 : 1];
    const std::vector<planned_cell> both = known_cells(other, all, planned);
    if (both.empty()) throw std::runtime_error("found no cell that '" + o.beside + "' has, wanted at least one");
    child_run found{header(o, topbit, {"beside", o.beside + ": " + described(other)}), {}};
    if (both.size() < planned.size())
      found.header.emplace_back("left out",
                                std::to_string(planned.size() - both.size()) + " cells that it does not have");
    const std::string name_of_run = "run " + std::to_string(index + 1) + ": ";
    progress steps(both.size());
    found.cells =
        sweep(all, both, topbit, &other, how, [&](const std::string& name) { steps.next(name_of_run + name); });
    return found;
  };
  beside_report r;
  for (int index = 0; index < o.runs; ++index) {
    child_run found = run_in_child([&] { return run(index); });
    r.header = std::move(found.header);
    r.runs.push_back(std::move(found.cells));
  }
  print(std::cout, r);
  write(o.json, to_json(r));
  return std::ranges::all_of(r.runs, all_timed) ? 0 : 1;
}

int run(const options& o) {
  const std::vector<operation> all = operations();
  const std::vector<planned_cell> planned = plan(all, o.cells);
  if (o.list) {
    for (const planned_cell& cell : planned) std::cout << full_name(all[cell.operation], cell.size) << '\n';
    return 0;
  }
  if (!o.beside.empty()) return run_beside(o, all, planned);
  // Read before the minutes that the cells take.
  const std::string before = o.before.empty() ? std::string() : text_of(o.before);
  library& topbit = this_library();
  library* torch = o.torch.empty() ? nullptr : opened(o.torch);
  const header_line peer{"pytorch", torch != nullptr
                                        ? described(*torch) + ", with a malloc that keeps memory"
                                        : "none: found no library for --torch, so these are topbit's times alone"};
  sweep_report r{header(o, topbit, peer), {}, torch != nullptr};
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
  return all_timed(r.cells) ? 0 : 1;
}

}  // namespace

}  // namespace bench::operators

int main(int argc, char** argv) {
  bench::operators::options o;
  CLI::App app(
      "Measures every operator of topbit, forward and backward, beside PyTorch's or another build's, in rounds of "
      "random order in one process. The results of both are compared before anything is timed.\n\n"
      "Status: 0; 1 where results differ, a cell could not be run, or a file could not be read or written; else words "
      "that were not understood.");
  CLI::Option* torch = app.add_option(
      "--torch", o.torch,
      "for ./dev bench operators a folder, site-packages/torch; for the program itself the shared library that "
      "bench/operators/torch/build.sh makes of it; without it topbit alone");
  CLI::Option* beside =
      app.add_option("--beside", o.beside,
                     "another build folder of topbit, of an older commit or another configuration, in which the target "
                     "bench_operators_cells is built, as it must be in this one: prints by family the time of this "
                     "build / the time of that one, and the cells that are slower in every run; with this build itself "
                     "it shows what is noise")
          ->excludes(torch)
          ->take_last();
  app.add_option("--runs", o.runs, "of all cells beside the other build, 3 otherwise")
      ->check(CLI::Range(1, 100))
      ->needs(beside);
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
  app.add_option("--seconds", o.how.seconds,
                 "for all cells together, or for each of the --runs, about; each cell has three rounds at least")
      ->check(CLI::Range(0.001, 1e6));
  app.add_option("--threads", o.how.threads, "of both libraries, 1 otherwise")->check(CLI::Range(1, 1024));
  app.add_option("--before", o.before,
                 "what --json wrote of an earlier run: prints by family how much faster the cells are now")
      ->excludes(beside)
      ->take_last();
  app.add_option("--json", o.json, "writes what was found")->take_last();
  app.add_option("--svg", o.svg, "draws the times of both libraries")->excludes(beside)->take_last();
  app.add_option("--markdown", o.markdown, "writes the tables of docs/performance.md: every cell over 1.00")
      ->excludes(beside)
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
