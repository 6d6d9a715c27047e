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

constexpr std::uint32_t most_readings = 2000;

std::uint64_t mixed(std::uint64_t h, std::uint64_t x) noexcept {
  h = (h ^ x) * 0x9E3779B97F4A7C15U;
  return h ^ h >> 29;
}

// What begins the words of one tensor is its dtype; of others one of these.
enum word : std::int64_t { undefined_word = -1, none_word = -2, number_word = -3, list_word = -4 };

// Tensors: dtype, device type and index, whether dense, rank, sizes. What else a rule of cost may depend on is there
// only if costs are wanted: integers, lists of them, and what is left out.
void add_words(std::vector<std::int64_t>& to, const value& v, bool all) {
  bool tensors = false;
  author::each_tensor(v, [&](const tensor& t) {
    tensors = true;
    if (!t.defined()) return to.push_back(undefined_word);
    to.insert(to.end(), {static_cast<std::int64_t>(t.dtype()), static_cast<std::int64_t>(t.device().type),
                         t.device().index, author::record_of(t).dense ? 1 : 0, t.dim()});
    to.insert(to.end(), t.sizes().begin(), t.sizes().end());
  });
  if (tensors || !all) return;
  if (v.is_none()) {
    to.push_back(none_word);
  } else if (v.is<std::int64_t>()) {
    to.insert(to.end(), {number_word, v.get<std::int64_t>()});
  } else if (v.is<bool>()) {
    to.insert(to.end(), {number_word, v.get<bool>() ? 1 : 0});
  } else if (v.is<std::span<const std::int64_t>>()) {
    const auto list = v.get<std::span<const std::int64_t>>();
    to.insert(to.end(), {list_word, static_cast<std::int64_t>(list.size())});
    to.insert(to.end(), list.begin(), list.end());
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------ threads

std::size_t profile_thread::site_hash::operator()(const site_key& k) const noexcept {
  std::uint64_t h = mixed(0, reinterpret_cast<std::uintptr_t>(k.op));
  h = mixed(h, reinterpret_cast<std::uintptr_t>(k.range));
  return mixed(h, std::uint64_t{k.inputs} << 8 | static_cast<std::uint64_t>(k.kind));
}

std::uint32_t profile_thread::index_of_inputs(std::span<const value> arguments) {
  words_.clear();
  for (const value& v : arguments) add_words(words_, v, how_.costs);
  std::uint64_t h = words_.size();
  for (const std::int64_t w : words_) h = mixed(h, static_cast<std::uint64_t>(w));
  std::vector<std::uint32_t>& same_hash = inputs_by_hash_[h];
  for (const std::uint32_t i : same_hash) {
    if (inputs_[i - 1] == words_) return i;
  }
  const std::lock_guard lock(mutex_);
  inputs_.push_back(words_);
  same_hash.push_back(static_cast<std::uint32_t>(inputs_.size()));
  return same_hash.back();
}

std::string profile_thread::text_of_inputs(std::uint32_t index) const {
  std::string text;
  if (index == 0) return text;
  const std::vector<std::int64_t>& words = inputs_[index - 1];
  for (std::size_t i = 0; i < words.size();) {
    if (words[i] == none_word) {
      ++i;
    } else if (words[i] == number_word) {
      i += 2;
    } else if (words[i] == list_word) {
      i += 2 + static_cast<std::size_t>(words[i + 1]);
    } else {
      if (!text.empty()) text += ", ";
      if (words[i] == undefined_word) {
        text += "undefined";
        ++i;
        continue;
      }
      const auto rank = static_cast<std::size_t>(words[i + 4]);
      const device where{static_cast<device_type>(words[i + 1]), static_cast<std::int8_t>(words[i + 2])};
      text += std::string(name_of(static_cast<dtype>(words[i]))) + "[";
      for (std::size_t d = 0; d < rank; ++d) text += (d == 0 ? "" : ", ") + std::to_string(words[i + 5 + d]);
      text += words[i + 3] != 0 ? "]" : "] strided";
      if (where != cpu) text += "@" + to_string(where);
      i += 5 + rank;
    }
  }
  return text;
}

std::string profile_thread::inputs_of(const profile_site& s) const {
  const std::lock_guard lock(mutex_);
  return text_of_inputs(s.inputs);
}

profile_site& profile_thread::site_of(const site_key& k, const observe::event& e) {
  if (const auto found = sites_.find(k); found != sites_.end()) return *found->second;
  auto fresh = std::make_unique<profile_site>(std::string(e.name()), k.kind, k.inputs, k.range, k.op);
  if (e.is_call()) {
    fresh->may_cost = how_.costs;
    if (how_.costs) fresh->each = profile::cost_of(e.op(), e.arguments());
  }
  const std::lock_guard lock(mutex_);
  return *sites_.emplace(k, std::move(fresh)).first->second;
}

void profile_thread::begin(const observe::event& e, std::uint64_t generation) {
  if (generation != generation_) {
    const std::lock_guard lock(mutex_);
    generation_ = generation;
    open_.clear();
    ranges_.clear();
  }
  site_key k{nullptr, ranges_.empty() ? nullptr : ranges_.back(), 0, e.kind()};
  const std::string* named = nullptr;
  if (e.is_call()) {
    k.kind = observe::kind::call;
    k.op = e.op().id();
    if (how_.inputs || how_.costs) k.inputs = index_of_inputs(e.arguments());
  } else {
    std::unique_ptr<const std::string>& name = range_names_[std::string(e.name())];
    if (name == nullptr) name = std::make_unique<const std::string>(e.name());
    k.op = named = name.get();
  }
  profile_site& site = site_of(k, e);
  const bool is_range = e.kind() == observe::kind::range;
  const std::lock_guard lock(mutex_);
  if (is_range) ranges_.push_back(named);
  open_.push_back({e.id(), &site, 0, false, false, is_range});
}

// Takes the event's frame off, and with it those that cannot end any more. False if it is not there.
bool profile_thread::close(const observe::event& e, frame& closed) {
  std::size_t at = open_.size();
  while (at != 0 && open_[at - 1].id != e.id()) --at;
  if (at == 0) return false;
  closed = open_[at - 1];
  for (; open_.size() >= at; open_.pop_back()) {
    if (open_.back().is_range) ranges_.pop_back();
  }
  return true;
}

void profile_thread::end(const observe::event& e, profile_recorder& all) {
  std::uint64_t link = 0;
  if (how_.backward && e.kind() == observe::kind::backward) link = all.take_recorder_of(e.about());
  const std::lock_guard lock(mutex_);
  frame f{};
  if (!close(e, f) || e.start_ns() < all.since() || !all.is_on()) return;
  const std::int64_t duration = std::max<std::int64_t>(0, e.duration_ns());
  profile_site& s = *f.site;
  const auto is_same = [&](const frame& outer) { return outer.site->op == s.op && outer.site->kind == s.kind; };
  // A layer passes a call on by a redispatch, or by a call with its keys excluded.
  const bool passed_on =
      e.kind() == observe::kind::redispatch || (e.is_call() && !open_.empty() && is_same(open_.back()));
  s.calls += !passed_on;
  // Inside a call of the same operator it counts when that ends, so that no row has less in all than by itself.
  if (std::ranges::any_of(open_, is_same)) {
    s.waiting_ns += duration - f.inside_ns;
    waiting_.push_back(&s);
  } else {
    s.self_ns += duration - f.inside_ns;
    s.total_ns += duration;
    std::erase_if(waiting_, [&](profile_site* w) {
      const bool inside = w->op == s.op && w->kind == s.kind;
      if (inside) w->self_ns += std::exchange(w->waiting_ns, 0);
      return inside;
    });
  }
  if (!f.counted && s.may_cost && !e.threw()) {
    f.counted = s.each.has_value();
    s.counted += f.counted;
    s.uncounted += !f.counted && !f.has_calls;
  }
  if (!open_.empty()) {
    open_.back().inside_ns += duration;
    open_.back().counted |= f.counted;
    open_.back().has_calls |= e.is_call();
  }
  ++seen_;
  keep({f.site, e.start_ns(), duration, e.id(), link, e.kind() == observe::kind::redispatch});
}

void profile_thread::keep(const profile_event& e) {
  if (events_.size() < how_.limit) {
    try {
      return events_.push_back(e);
    } catch (const std::bad_alloc&) {  // it is in the table alone
    }
  }
  ++dropped_;
  if (events_.size() == how_.limit && how_.limit != 0) events_[std::exchange(oldest_, (oldest_ + 1) % how_.limit)] = e;
}

const profile_site& profile_thread::allocated(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (open_.empty() && outside_ == nullptr) {
    outside_ = std::make_unique<profile_site>(std::string(outside_of_calls), observe::kind::range, 0, nullptr, nullptr);
  }
  profile_site& by = open_.empty() ? *outside_ : *open_.back().site;
  by.allocated += bytes;
  return by;
}

void profile_thread::clear() {
  const std::lock_guard lock(mutex_);
  const auto empty = [](profile_site& s) {
    s.calls = s.allocated = s.counted = s.uncounted = 0;
    s.self_ns = s.total_ns = s.waiting_ns = 0;
  };
  for (const auto& [key, site] : sites_) empty(*site);
  if (outside_ != nullptr) empty(*outside_);
  waiting_.clear();
  events_.clear();
  oldest_ = 0;
  seen_ = dropped_ = 0;
}

std::vector<profile_event> profile_thread::events() const {
  const std::lock_guard lock(mutex_);
  std::vector<profile_event> all = events_;
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(oldest_), all.end());
  return all;
}

void profile_thread::add_to(profile::table& t) const {
  const std::lock_guard lock(mutex_);
  t.events += seen_;
  t.dropped += dropped_;
  const auto add = [&](const profile_site& s) {
    if (s.calls == 0 && s.self_ns == 0 && s.allocated == 0) return;
    profile::row r{s.name,
                   s.kind,
                   text_of_inputs(s.inputs),
                   s.range == nullptr ? std::string() : *s.range,
                   s.calls,
                   s.self_ns,
                   s.total_ns,
                   s.allocated};
    if (s.each) {
      const auto n = static_cast<double>(s.counted);
      r.work = profile::cost{n * s.each->products, n * s.each->operations, n * s.each->bytes_read,
                             n * s.each->bytes_written};
    } else if (s.uncounted != 0 && std::ranges::find(t.without_cost, s.name) == t.without_cost.end()) {
      t.without_cost.push_back(s.name);
    }
    t.rows.push_back(std::move(r));
  };
  for (const auto& [key, site] : sites_) add(*site);
  if (outside_ != nullptr) add(*outside_);
}

// ------------------------------------------------------------------------------------------------------------ process

class profile_recorder::timed {
 public:
  explicit timed(profile_recorder& r) noexcept
      : recorder_(r.own_readings_.load(std::memory_order_relaxed) < most_readings ? &r : nullptr),
        began_(recorder_ == nullptr ? 0 : observe::clock_ns()) {}
  timed(const timed&) = delete;
  ~timed() {
    if (recorder_ == nullptr) return;
    recorder_->own_ns_.fetch_add(observe::clock_ns() - began_, std::memory_order_relaxed);
    recorder_->own_readings_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  profile_recorder* recorder_;
  std::int64_t began_;
};

profile_recorder::profile_recorder(const profile::options& how)
    : number_(profiles.fetch_add(1, std::memory_order_relaxed) + 1), how_(how) {}

profile_thread* profile_recorder::of_this_thread() const noexcept {
  const auto found = std::ranges::find_if(known_parts, [&](const known_part& k) { return k.of == number_; });
  return found == known_parts.end() ? nullptr : found->part;
}

profile_thread& profile_recorder::thread(unsigned number) {
  if (profile_thread* const mine = of_this_thread()) return *mine;
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(threads_, [&](const auto& t) { return t->number() == number; });
  if (found == threads_.end()) {
    threads_.push_back(std::make_unique<profile_thread>(number, how_));
    found = threads_.end() - 1;
  }
  known_parts[next_known++ % known_parts.size()] = {number_, found->get()};
  return **found;
}

std::vector<profile_thread*> profile_recorder::threads() const {
  const std::lock_guard lock(mutex_);
  std::vector<profile_thread*> all;
  for (const auto& t : threads_) all.push_back(t.get());
  return all;
}

void profile_recorder::begin(const observe::event& e) {
  if (!is_on()) return;
  const timed own(*this);
  thread(e.thread()).begin(e, generation_.load(std::memory_order_relaxed));
}

void profile_recorder::end(const observe::event& e) {
  const timed own(*this);
  if (how_.backward && e.is_call() && is_on()) note_nodes(e);
  thread(e.thread()).end(e, *this);
}

// Of several results each has a node of its own, whose only input is the call's. A view may be its argument, whose node
// is another call's.
void profile_recorder::note_nodes(const observe::event& e) {
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
        nodes_.try_emplace(key, e.id());
      else
        nodes_.insert_or_assign(key, e.id());
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
  for (profile_thread* t : threads()) t->clear();
  {
    const std::lock_guard lock(nodes_mutex_);
    nodes_.clear();
  }
  on_.store(true);
}

void profile_recorder::stop() noexcept {
  if (on_.exchange(false)) until_.store(observe::clock_ns());
}

profile::table profile_recorder::table() const {
  profile::table t;
  t.elapsed_ns = std::max<std::int64_t>(0, (is_on() ? observe::clock_ns() : until_.load()) - since());
  const std::uint32_t readings = own_readings_.load();
  t.own_ns = readings == 0 ? 0 : 2 * static_cast<double>(own_ns_.load()) / readings;  // two for each event
  for (const profile_thread* each : threads()) each->add_to(t);
  std::ranges::sort(t.without_cost);
  return t;
}

}  // namespace topbit::detail
