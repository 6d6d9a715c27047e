#include <chrono>
#include <stdexcept>

#include "data.h"
#include "expected.h"
#include "machine.h"
#include "peers.h"
#include "runner.h"

namespace bench {

namespace {

class local final : public runner {
 public:
  local(std::vector<problem> all, bool settings_only) : problems_(std::move(all)) {
    for (const peer& p : peers()) {
      if (p.has_settings || !settings_only) peers_.push_back(&p);
      if (p.set_threads) p.set_threads(1);
    }
    stay_on_one_processor();
  }

  std::vector<contender> prepare(std::size_t index) override {
    drop();
    const problem& wanted = problems_.at(index);
    ready_ = std::make_unique<ready_problem>(wanted);
    if (wanted.threads > 1) use_all_processors();
    std::vector<contender> found;
    for (const peer* p : peers_) {
      if (wanted.limit && !p->yardstick) continue;
      std::optional<work> w = p->prepare(ready_->get());
      if (!w) continue;
      check(*p, *w);
      const contender one{p->name, p->version, p->setting, 1, p->yardstick, w->flops, w->bytes};
      found.push_back(one);
      entries_.push_back({p, *w, 1});
      if (wanted.threads > 1 && p->set_threads) {
        found.push_back(one);
        found.back().threads = wanted.threads;
        entries_.push_back({p, *w, wanted.threads});
        p->set_threads(wanted.threads);
        check(*p, *w);
        p->set_threads(1);
      }
    }
    return found;
  }

  double seconds(std::size_t contender, std::int64_t calls) override {
    const entry& e = entries_.at(contender);
    if (e.threads > 1) {
      e.who->set_threads(e.threads);
      e.what.run(1);  // now it has its threads
      spread_threads();
    }
    const auto began = std::chrono::steady_clock::now();
    e.what.run(calls);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    if (e.threads > 1) {
      e.who->set_threads(1);
      use_all_processors();  // a thread that begins later inherits this
    }
    return took.count();
  }

  void drop() override {
    entries_.clear();
    first_.clear();
    ready_.reset();
    stay_on_one_processor();
  }

  std::vector<function_error> errors(const std::string& function) override {
    std::vector<function_error> found;
    problem asked{.family = "functions", .operation = function, .inputs = {{.sizes = {1}}}, .result = {.sizes = {1}}};
    asked.inputs.resize(function == "pow" ? 2 : 1, asked.inputs[0]);
    const ready_problem ready(asked);
    for (const peer* p : peers_) {
      if (p->prepare(ready.get())) found.push_back({p->name, p->setting, error_of(*p, function)});
    }
    return found;
  }

 private:
  struct entry {
    const peer* who;
    work what;
    int threads;
  };

  // Every result is compared with plain loops and with the first one, before anything is timed.
  void check(const peer& who, const work& w) {
    const problem& p = ready_->get();
    if (!w.result || p.operation == "empty") return;
    const array found = w.result();
    std::string wrong = wrong_with(p, found);
    // A single number has been compared by what was added up to it, which says how exact it can be.
    if (wrong.empty() && !first_.empty() && p.result.count() > 1) {
      array first = p.result;
      first.data = first_.data();
      wrong = difference(found, first);
      if (!wrong.empty()) wrong += " as the first of its peers has";
    }
    if (!wrong.empty()) throw std::runtime_error(p.name() + ": wrong result of " + who.name + ": " + wrong);
    if (first_.empty()) {
      const auto* bytes = static_cast<const std::byte*>(found.data);
      first_.assign(bytes, bytes + static_cast<std::size_t>(p.result.count()) * bytes_of(p.result.type));
    }
  }

  std::vector<problem> problems_;
  std::vector<const peer*> peers_;
  std::unique_ptr<ready_problem> ready_;
  std::vector<entry> entries_;
  std::vector<std::byte> first_;  // a copy: the next peer may write to the same place
};

}  // namespace

std::unique_ptr<runner> local_runner(std::vector<problem> all, bool settings_only) {
  return std::make_unique<local>(std::move(all), settings_only);
}

}  // namespace bench
