module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :memory;
import :recorder;
import :session;
import :trace_file;

namespace topbit {

namespace profile {

namespace {

// What an observer is: it may outlive the session where one ends in a callback.
struct told {
  std::shared_ptr<topbit::detail::profile_recorder> to;
  void begin(const observe::event& e) { to->begin(e); }
  void end(const observe::event& e) { to->end(e); }
};

observe::options observing(const options& how) {
  return {.threads = how.threads, .arguments = how.inputs || how.costs, .results = how.backward};
}

void check(const schedule& s) {
  if (s.active == 0 && (s.wait != 0 || s.warmup != 0 || s.repeat != 0))
    throw error("profile::session: found a schedule without active steps, wanted at least one");
  if (s.active != 0 && s.wait == 0 && s.warmup == 0 && s.repeat != 1) {
    throw error(
        "profile::session: found a schedule whose active steps follow each other, wanted wait or warmup steps "
        "between its cycles, or repeat = 1");
  }
}

}  // namespace

session::session(const options& how, std::source_location where)
    : how_((check(how.schedule), how)),
      where_(where),
      recorder_(std::make_shared<topbit::detail::profile_recorder>(how)) {
  if (how.memory) memory_ = std::make_unique<topbit::detail::profile_memory>(recorder_, how.limit);
  enter(phase_of(0));
  if (how.schedule.active != 0) in_step_.emplace("step");
}

session::~session() { stop(); }

session::phase session::phase_of(std::uint64_t step) const noexcept {
  const schedule& s = how_.schedule;
  if (s.active == 0) return phase::recording;
  const std::uint64_t length = std::uint64_t{s.wait} + s.warmup + s.active;
  if (s.repeat != 0 && step / length >= s.repeat) return phase::off;
  const std::uint64_t at = step % length;
  return at < s.wait ? phase::off : at < std::uint64_t{s.wait} + s.warmup ? phase::warming : phase::recording;
}

void session::enter(phase next) {
  const phase before = std::exchange(phase_, next);
  if (next == before) return;
  if (before == phase::recording) {
    if (memory_) memory_->pause();
    recorder_->stop();
  }
  if (next == phase::off) {
    observer_.reset();
    if (memory_) memory_->stop();
    return;
  }
  if (!observer_) {
    recorder_->begin_anew();
    observer_.emplace(told{recorder_}, observing(how_), where_);
    if (memory_) memory_->begin();
  }
  if (next == phase::recording) {
    if (memory_) memory_->clear();
    recorder_->start();
  }
}

bool session::step() {
  if (stopped_) return false;
  in_step_.reset();
  const phase before = phase_;
  enter(phase_of(++steps_));
  if (how_.schedule.active != 0) in_step_.emplace("step");
  return before == phase::recording && phase_ != phase::recording;
}

void session::stop() noexcept {
  in_step_.reset();
  enter(phase::off);
  stopped_ = true;
}

table session::table() const {
  profile::table t = recorder_->table();
  if (memory_) memory_->add_to(t);
  return t;
}

void session::write_trace(const std::string& path) const {
  topbit::detail::write_trace(path, *recorder_, memory_.get());
}

}  // namespace profile

}  // namespace topbit
