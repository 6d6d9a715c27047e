module;

#include <unistd.h>

module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;
import :recorder;

namespace topbit::detail {

namespace {

// The last profiles that this thread was recorded by, so that its part is found without a lock.
struct known_part {
  std::uint64_t of = 0;
  profile_thread* part = nullptr;
};
constinit thread_local std::array<known_part, 4> known_parts{};
constinit thread_local unsigned next_known = 0;

constinit std::atomic<std::uint64_t> profiles = 0;

// Other objects of a thread may make calls after its recorders_of_thread has ended; then its part stays.
constinit thread_local bool recorders_are_gone = false;

// The profiles that this thread was recorded by. Those are told when it ends.
class recorders_of_thread {
 public:
  recorders_of_thread() = default;
  recorders_of_thread(const recorders_of_thread&) = delete;
  ~recorders_of_thread() {
    known_parts = {};
    recorders_are_gone = true;
    if (getpid() != process_) return;  // a thread that is not in the child may hold the mutex
    for (const part& p : parts_) {
      const std::lock_guard lock(p.link->mutex);
      if (p.link->recorder != nullptr) p.link->recorder->thread_ended(p.number);
    }
  }
  void add(const std::shared_ptr<recorder_link>& link, unsigned number) {
    if (const pid_t now = getpid(); now != process_) {  // the parent's, whose threads may hold the links
      process_ = now;
      parts_.clear();
    }
    if (std::ranges::any_of(parts_, [&](const part& p) { return p.link == link; })) return;
    std::erase_if(parts_, [](const part& p) {
      const std::lock_guard lock(p.link->mutex);
      return p.link->recorder == nullptr;
    });
    parts_.push_back({link, number});
  }

 private:
  struct part {
    std::shared_ptr<recorder_link> link;
    unsigned number;
  };
  pid_t process_ = getpid();
  std::vector<part> parts_;
};

}  // namespace

profile_recorder::profile_recorder(const profile::options& how)
    : number_(profiles.fetch_add(1, std::memory_order_relaxed) + 1),
      how_(how),
      own_ns_(profile_thread::cost_of_event()),
      threads_{std::make_shared<profile_thread>(0, how_)},
      link_(std::make_shared<recorder_link>()) {
  link_->recorder = this;
}

profile_recorder::~profile_recorder() {
  const std::lock_guard lock(link_->mutex);
  link_->recorder = nullptr;
}

profile_thread* profile_recorder::of_this_thread() const noexcept {
  const auto found = std::ranges::find_if(known_parts, [&](const known_part& k) { return k.of == number_; });
  return found == known_parts.end() ? nullptr : found->part;
}

profile_thread& profile_recorder::thread(unsigned number) {
  if (profile_thread* const mine = of_this_thread()) return *mine;
  if (!recorders_are_gone) {
    thread_local recorders_of_thread mine;
    mine.add(link_, number);  // without the lock, which a thread that ends takes after that of the link
  }
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(threads_, [&](const auto& t) { return t->number() == number; });
  if (found == threads_.end()) {
    threads_.push_back(std::make_shared<profile_thread>(number, how_));
    found = threads_.end() - 1;
  }
  known_parts[next_known++ % known_parts.size()] = {number_, found->get()};
  return **found;
}

void profile_recorder::thread_ended(unsigned number) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find_if(threads_, [&](const auto& t) { return t->number() == number; });
  if (found == threads_.end()) return;
  try {
    threads_.front()->take(**found);
  } catch (const std::bad_alloc&) {  // what it did not take is lost
  }
  threads_.erase(found);
}

void profile_recorder::begin(const observe::event& e) {
  if (is_on()) thread(e.thread()).begin(e, generation_.load(std::memory_order_relaxed));
}

void profile_recorder::end(const observe::event& e) {
  profile_thread& mine = thread(e.thread());
  if (how_.backward && e.is_call() && is_on()) note_nodes(e, mine.call_of(e.id()));
  mine.end(e, *this);
}

// Of several results each has a node of its own, whose only input is the call's. A view may be its argument, whose node
// is another call's.
void profile_recorder::note_nodes(const observe::event& e, std::uint64_t call) {
  const std::span<const value> results = e.results();
  const bool may_be_argument = e.op().tags().contains(tag::view);
  for (const value& v : results) {
    author::each_tensor(v, [&](const tensor& t) {
      const intrusive_ptr<node> n = t.defined() ? author::gradient_edge(t) : intrusive_ptr<node>();
      if (!n) return;
      const node* const of_call = results.size() == 1 || n->inputs().size() != 1 ? n.get() : n->inputs()[0].get();
      const std::lock_guard lock(nodes_mutex_);
      if (nodes_.size() >= how_.limit) nodes_.clear();  // those of graphs that never ran
      const auto key = reinterpret_cast<std::uintptr_t>(of_call);
      if (may_be_argument)
        nodes_.try_emplace(key, call);
      else
        nodes_.insert_or_assign(key, call);
    });
  }
}

std::uint64_t profile_recorder::take_recorder_of(std::uint64_t node) {
  const std::lock_guard lock(nodes_mutex_);
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return 0;
  const std::uint64_t call = found->second;
  nodes_.erase(found);
  return call;
}

void profile_recorder::start() {
  since_.store(observe::clock_ns());
  {
    const std::lock_guard lock(mutex_);
    for (const auto& t : threads_) t->clear();
  }
  {
    const std::lock_guard lock(nodes_mutex_);
    nodes_.clear();
  }
  on_.store(true);
}

void profile_recorder::stop() noexcept {
  if (on_.exchange(false)) until_.store(observe::clock_ns());
}

// Under the lock, so that no thread's part becomes the ended ones' between the two.
profile::table profile_recorder::table() const {
  profile::table t;
  t.elapsed_ns = std::max<std::int64_t>(0, (is_on() ? observe::clock_ns() : until_.load()) - since());
  t.own_ns = own_ns_;
  const std::lock_guard lock(mutex_);
  for (const auto& each : threads_) each->add_to(t);
  std::ranges::sort(t.without_cost);
  return t;
}

std::vector<profile_recorder::thread_events> profile_recorder::events() const {
  const std::lock_guard lock(mutex_);
  std::vector<thread_events> all;
  for (const auto& t : threads_) all.push_back({t, t->events()});
  return all;
}

}  // namespace topbit::detail
