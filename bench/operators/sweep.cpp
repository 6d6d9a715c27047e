#include "sweep.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "../kernels/machine.h"
#include "../kernels/runner.h"
#include "compare.h"

namespace bench::operators {

namespace {

double now(int clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void must(const char* problem, library& of) {
  if (problem != nullptr) throw std::runtime_error(std::string(of.name()) + ": " + problem);
}

// The contenders of bench::measure.
class timed_libraries final : public runner {
 public:
  timed_libraries(std::vector<library*> libraries, int threads) : libraries_(std::move(libraries)), threads_(threads) {}

  std::vector<contender> prepare(std::size_t) override { return {}; }
  double seconds(std::size_t which, std::int64_t calls) override {
    library& one = *libraries_[which];
    if (threads_ > 1) {
      must(one.run(1), one);  // now it has its threads
      spread_threads();
    }
    // Of one thread without what the machine does besides.
    const int clock = threads_ > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    const double began = now(clock);
    must(one.run(calls), one);
    const double took = now(clock) - began;
    if (threads_ > 1) use_all_processors();  // a thread that begins later inherits this
    return took;
  }
  void drop() override {}
  std::vector<function_error> errors(const std::string&) override { return {}; }

 private:
  std::vector<library*> libraries_;
  int threads_;
};

// The places of a library's operators by family and name, and how often these two came before: sdpa is there twice.
using place_names = std::map<std::pair<std::string, std::string>, std::vector<std::size_t>>;

std::vector<std::size_t> places_in(library& other, const std::vector<operation>& all) {
  place_names places, seen;
  for (std::size_t i = 0; i < other.count(); ++i) places[{other.family(i), other.name(i)}].push_back(i);
  std::vector<std::size_t> found;
  for (const operation& o : all) {
    std::vector<std::size_t>& before = seen[{o.family, o.name}];
    const std::vector<std::size_t>& there = places[{o.family, o.name}];
    found.push_back(before.size() < there.size() ? there[before.size()] : other.count());
    before.push_back(0);
  }
  return found;
}

}  // namespace

std::vector<measured_cell> sweep(const std::vector<operation>& all, const std::vector<planned_cell>& planned,
                                 library& topbit, library* torch, const sweep_options& options,
                                 const std::function<void(const std::string& name)>& begin) {
  const double began = now(CLOCK_MONOTONIC);
  std::vector<library*> libraries{&topbit};
  if (torch != nullptr) libraries.push_back(torch);
  const std::vector<std::size_t> places = torch != nullptr ? places_in(*torch, all) : std::vector<std::size_t>();
  for (library* each : libraries) each->set_threads(options.threads);
  if (options.threads == 1) stay_on_one_processor();

  timed_libraries runner(libraries, options.threads);
  std::vector<entrant> entrants{{&runner, 0}};
  if (torch != nullptr) entrants.push_back({&runner, 1});
  std::mt19937 random(options.seed);
  std::vector<measured_cell> found;
  for (const planned_cell& cell : planned) {
    const operation& o = all[cell.operation];
    begin(full_name(o, cell.size));
    measured_cell m{o.family, o.name, cell.size, cell.numbers, {}, {}, {}};
    try {
      effort how{.rounds = options.rounds, .least_rounds = std::min(3, options.rounds)};
      if (options.seconds > 0) {
        const double left = options.seconds - (now(CLOCK_MONOTONIC) - began);
        // What a cell's inputs take is not known before.
        how.row = std::clamp(0.7 * left / static_cast<double>(planned.size() - found.size()), 0.005, how.row);
        how.round = std::min(how.round, how.row / 10);
      }
      if (options.threads > 1) how.rest = 0.01;
      for (library* each : libraries) {
        const std::size_t place = each == torch ? places[cell.operation] : cell.operation;
        if (each == torch && place == torch->count()) throw std::runtime_error("PyTorch: has no such operator");
        must(each->prepare(place, cell.numbers.data(), cell.numbers.size()), *each);
        must(each->compute(), *each);
      }
      if (torch != nullptr) m.problem = difference(topbit, *torch, o);
      for (library* each : libraries) each->drop_results();
      if (m.problem.empty()) {
        const std::vector<timing> timings = measure(entrants, how, true, random);
        m.topbit = timings[0];
        if (torch != nullptr) m.torch = timings[1];
      }
    } catch (const std::exception& e) {
      m.problem = e.what();
    }
    for (library* each : libraries) each->drop();
    found.push_back(std::move(m));
  }
  return found;
}

}  // namespace bench::operators
