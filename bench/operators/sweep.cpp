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

void must(const char* problem, const std::string& prefix) {
  if (problem != nullptr) throw std::runtime_error(prefix + ": " + problem);
}

// The contenders of bench::measure.
class timed_libraries final : public runner {
 public:
  timed_libraries(std::vector<library*> libraries, int threads) : libraries_(std::move(libraries)), threads_(threads) {}

  std::vector<contender> prepare(std::size_t) override { return {}; }
  double seconds(std::size_t which, std::int64_t calls) override {
    library& one = *libraries_[which];
    if (threads_ > 1) {
      must(one.run(1), one.name());  // now it has its threads
      spread_threads();
    }
    // Of one thread without what the machine does besides.
    const int clock = threads_ > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    const double began = now(clock);
    must(one.run(calls), one.name());
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
                                 library& topbit, library* peer, const sweep_options& options,
                                 const std::function<void(const std::string& name)>& begin) {
  const double began = now(CLOCK_MONOTONIC);
  std::vector<library*> libraries{&topbit};
  if (peer != nullptr) libraries.push_back(peer);
  std::string peer_name = peer != nullptr ? peer->name() : "";
  if (peer_name == topbit.name()) peer_name = "the other " + peer_name;
  std::map<library*, std::vector<std::size_t>> places;
  for (library* each : libraries) {
    places[each] = places_in(*each, all);
    each->set_threads(options.threads);
  }
  if (options.threads == 1) stay_on_one_processor();

  std::vector<library*> prepared = libraries;
  if (options.peer_first) std::ranges::reverse(prepared);
  timed_libraries runner(libraries, options.threads);
  std::vector<entrant> entrants{{&runner, 0}};
  if (peer != nullptr) entrants.push_back({&runner, 1});
  std::mt19937 random(options.seed);
  std::vector<measured_cell> found;
  for (const planned_cell& cell : planned) {
    const operation& o = all[cell.operation];
    begin(full_name(o, cell.size));
    measured_cell m{o.family, o.name, cell.size, cell.numbers, {}, {}, {}, 0};
    try {
      effort how{.rounds = options.rounds, .least_rounds = std::min(3, options.rounds)};
      if (options.seconds > 0) {
        const double left = options.seconds - (now(CLOCK_MONOTONIC) - began);
        // What a cell's inputs take is not known before.
        how.row = std::clamp(0.7 * left / static_cast<double>(planned.size() - found.size()), 0.005, how.row);
        how.round = std::min(how.round, how.row / 10);
      }
      if (options.threads > 1) how.rest = 0.01;
      for (library* each : prepared) {
        const std::string name = each == peer ? peer_name : topbit.name();
        const std::size_t place = places[each][cell.operation];
        must(place == each->count() ? "has no such operator" : nullptr, name);
        must(each->prepare(place, cell.numbers.data(), cell.numbers.size()), name);
        must(each->compute(), name);
      }
      m.elements = topbit.elements();
      if (peer != nullptr) m.problem = difference(topbit, *peer, o);
      for (library* each : libraries) each->drop_results();
      if (m.problem.empty()) {
        const std::vector<timing> timings = measure(entrants, how, true, random);
        m.topbit = timings[0];
        if (peer != nullptr) m.peer = timings[1];
      }
    } catch (const std::exception& e) {
      m.problem = e.what();
    }
    for (library* each : libraries) each->drop();
    found.push_back(std::move(m));
  }
  return found;
}

std::vector<planned_cell> known_cells(library& of, const std::vector<operation>& all,
                                      const std::vector<planned_cell>& planned) {
  const std::vector<std::size_t> places = places_in(of, all);
  std::vector<planned_cell> known;
  for (const planned_cell& cell : planned) {
    if (places[cell.operation] < of.count()) known.push_back(cell);
  }
  return known;
}

}  // namespace bench::operators
