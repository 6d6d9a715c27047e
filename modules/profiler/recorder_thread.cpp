// What a profile keeps of one thread.
module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :recorder;

namespace topbit::detail {

namespace {

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

profile_sums& profile_sums::operator+=(const profile_sums& other) noexcept {
  calls += other.calls;
  allocated += other.allocated;
  self_ns += other.self_ns;
  total_ns += other.total_ns;
  nested_ns += other.nested_ns;
  inside += other.inside;
  nested_inside += other.nested_inside;
  counted += other.counted;
  uncounted += other.uncounted;
  return *this;
}

std::size_t profile_thread::site_hash::operator()(const site_key& k) const noexcept {
  std::uint64_t h = mixed(0, reinterpret_cast<std::uintptr_t>(k.op));
  h = mixed(h, reinterpret_cast<std::uintptr_t>(k.range));
  return mixed(h, std::uint64_t{k.inputs} << 8 | static_cast<std::uint64_t>(k.kind));
}

std::uint32_t profile_thread::index_of_inputs(std::span<const std::int64_t> words) {
  std::uint64_t h = words.size();
  for (const std::int64_t w : words) h = mixed(h, static_cast<std::uint64_t>(w));
  std::vector<std::uint32_t>& same_hash = inputs_by_hash_[h];
  for (const std::uint32_t i : same_hash) {
    if (std::ranges::equal(inputs_[i - 1], words)) return i;
  }
  inputs_.emplace_back(words.begin(), words.end());
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

const std::string* profile_thread::range_name(std::string_view name) {
  std::unique_ptr<const std::string>& known = range_names_[std::string(name)];
  if (known == nullptr) known = std::make_unique<const std::string>(name);
  return known.get();
}

profile_site& profile_thread::add_site(const site_key& k, std::string_view name) {
  auto& site = sites_[k];
  site = std::make_unique<profile_site>(std::string(name), k.kind, k.inputs, k.range, k.op);
  return *site;
}

profile_site& profile_thread::site_of_call(const observe::event& e, std::unique_lock<std::mutex>& lock) {
  site_key k{e.op().id(), innermost_range(), 0, observe::kind::call};
  if (how_.inputs || how_.costs) {
    words_.clear();
    for (const value& v : e.arguments()) add_words(words_, v, how_.costs);
    k.inputs = index_of_inputs(words_);
  }
  if (const auto found = sites_.find(k); found != sites_.end()) return *found->second;
  std::optional<profile::cost> each;
  if (how_.costs) {
    lock.unlock();  // a rule may allocate, of which this part is told
    each = profile::cost_of(e.op(), e.arguments());
    lock.lock();
  }
  profile_site& site = add_site(k, e.name());
  site.each = each;
  site.may_cost = how_.costs;
  return site;
}

profile_site& profile_thread::site_of_range(std::string_view name, observe::kind kind) {
  const site_key k{range_name(name), innermost_range(), 0, kind};
  const auto found = sites_.find(k);
  return found != sites_.end() ? *found->second : add_site(k, name);
}

void profile_thread::open(profile_site& s, std::uint64_t id, observe::kind kind) {
  const bool passed_on = s.kind == observe::kind::call && !open_.empty() && open_.back().is_of(s);
  const bool is_range = kind == observe::kind::range;
  if (is_range) ranges_.push_back(static_cast<const std::string*>(s.op));
  open_.push_back({.id = id, .call = passed_on ? open_.back().call : id, .site = &s, .is_range = is_range});
}

void profile_thread::begin(const observe::event& e, std::uint64_t generation) {
  std::unique_lock lock(mutex_);
  if (generation != generation_) {
    generation_ = generation;
    open_.clear();
    ranges_.clear();
  }
  open(e.is_call() ? site_of_call(e, lock) : site_of_range(e.name(), e.kind()), e.id(), e.kind());
}

std::uint64_t profile_thread::call_of(std::uint64_t id) const noexcept {
  const auto found = std::find_if(open_.rbegin(), open_.rend(), [&](const frame& f) { return f.id == id; });
  return found == open_.rend() ? id : found->call;
}

// Takes the event's frame off, and with it those that cannot end any more. False if it is not there.
bool profile_thread::take_off(std::uint64_t id, frame& closed) {
  std::size_t at = open_.size();
  while (at != 0 && open_[at - 1].id != id) --at;
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
  close({e.id(), link, e.kind(), e.threw(), e.start_ns(), std::max<std::int64_t>(0, e.duration_ns())},
        all.is_on() ? all.since() : std::numeric_limits<std::int64_t>::max());
}

void profile_thread::close(const ended_event& e, std::int64_t since) {
  frame f{};
  if (!take_off(e.id, f) || e.start_ns < since) return;
  profile_site& s = *f.site;
  // A layer passes a call on by a redispatch, or by a call with its keys excluded.
  const bool passed_on =
      e.kind == observe::kind::redispatch || (e.kind == observe::kind::call && !open_.empty() && open_.back().is_of(s));
  s.sums.calls += !passed_on;
  const bool nested = std::ranges::any_of(open_, [&](const frame& outer) { return outer.is_of(s); });
  // Inside a call of the same operator it counts when that ends, so that no row has less in all than by itself.
  if (nested) {
    s.waiting_ns += e.duration_ns - f.inside_ns;
    waiting_.push_back(&s);
  } else {
    s.sums.self_ns += e.duration_ns - f.inside_ns;
    std::erase_if(waiting_, [&](profile_site* w) {
      const bool inside = w->op == s.op && w->kind == s.kind;
      if (inside) w->sums.self_ns += std::exchange(w->waiting_ns, 0);
      return inside;
    });
  }
  if (!std::ranges::any_of(open_, [&](const frame& outer) { return outer.site == &s; })) {
    s.sums.total_ns += e.duration_ns;
    s.sums.inside += f.inside;
    if (nested) {
      s.sums.nested_ns += e.duration_ns;
      s.sums.nested_inside += f.inside;
    }
  }
  if (!f.counted && s.may_cost && !e.threw) {
    f.counted = s.each.has_value();
    s.sums.counted += f.counted;
    s.sums.uncounted += !f.counted && !f.has_calls;
  }
  if (!open_.empty()) {
    frame& outer = open_.back();
    outer.inside_ns += e.duration_ns;
    outer.inside += f.inside + 1;
    outer.counted |= f.counted;
    outer.has_calls |= s.kind == observe::kind::call;
  }
  ++seen_;
  keep({&s, e.start_ns, e.duration_ns, f.call, e.link, number_, e.kind == observe::kind::redispatch});
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

profile_site& profile_thread::outside() {
  if (outside_ == nullptr)
    outside_ = std::make_unique<profile_site>(std::string(outside_of_calls), observe::kind::range, 0, nullptr, nullptr);
  return *outside_;
}

const profile_site& profile_thread::allocated(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  profile_site& by = open_.empty() ? outside() : *open_.back().site;
  by.sums.allocated += bytes;
  return by;
}

void profile_thread::clear() {
  const std::lock_guard lock(mutex_);
  const auto empty = [](profile_site& s) {
    s.sums = {};
    s.waiting_ns = 0;
  };
  for (const auto& [key, site] : sites_) empty(*site);
  if (outside_ != nullptr) empty(*outside_);
  waiting_.clear();
  events_.clear();
  oldest_ = 0;
  seen_ = dropped_ = 0;
}

void profile_thread::take(const profile_thread& ended) {
  const std::lock_guard lock(mutex_);
  const std::lock_guard lock_of_ended(ended.mutex_);
  std::unordered_map<const profile_site*, const profile_site*> places;
  for (const auto& [key, site] : ended.sites_) {
    site_key k = key;
    if (k.range != nullptr) k.range = range_name(*k.range);
    if (k.kind != observe::kind::call) k.op = range_name(site->name);
    if (k.inputs != 0) k.inputs = index_of_inputs(ended.inputs_[k.inputs - 1]);
    const auto found = sites_.find(k);
    profile_site& mine = found != sites_.end() ? *found->second : add_site(k, site->name);
    mine.each = site->each;
    mine.may_cost = site->may_cost;
    mine.sums += site->sums;
    places.emplace(site.get(), &mine);
  }
  if (ended.outside_ != nullptr) outside().sums += ended.outside_->sums;
  seen_ += ended.seen_;
  dropped_ += ended.dropped_;
  for (profile_event e : ended.in_order()) {
    e.site = places.at(e.site);
    keep(e);
  }
}

std::vector<profile_event> profile_thread::in_order() const {
  std::vector<profile_event> all = events_;
  std::rotate(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(oldest_), all.end());
  return all;
}

std::vector<profile_event> profile_thread::events() const {
  const std::lock_guard lock(mutex_);
  return in_order();
}

void profile_thread::add_to(profile::table& t) const {
  const std::lock_guard lock(mutex_);
  t.events += seen_;
  t.dropped += dropped_;
  const auto own = [&](std::uint64_t events, std::int64_t within) {
    return std::min(static_cast<std::int64_t>(t.own_ns * static_cast<double>(events)), within);
  };
  const auto add = [&](const profile_site& s) {
    const profile_sums& sums = s.sums;
    if (sums.calls == 0 && sums.self_ns == 0 && sums.total_ns == 0 && sums.allocated == 0) return;
    profile::row r{.name = s.name,
                   .kind = s.kind,
                   .inputs = text_of_inputs(s.inputs),
                   .range = s.range == nullptr ? std::string() : *s.range,
                   .calls = sums.calls,
                   .self_ns = sums.self_ns,
                   .total_ns = sums.total_ns,
                   .allocated = sums.allocated,
                   .own_ns = own(sums.inside, sums.total_ns),
                   .nested_ns = sums.nested_ns,
                   .nested_own_ns = own(sums.nested_inside, sums.nested_ns)};
    if (s.each) {
      const auto n = static_cast<double>(sums.counted);
      const bool causal = s.each->masked != 0;
      const double left_out = causal && how_.causal == profile::causal_counting::half ? s.each->masked : 0;
      r.work = profile::cost{n * (s.each->products - left_out), n * (s.each->operations - left_out),
                             n * s.each->bytes_read, n * s.each->bytes_written, n * (s.each->masked - left_out)};
      if (causal && sums.counted != 0) t.causal = how_.causal;
    } else if (sums.uncounted != 0 && std::ranges::find(t.without_cost, s.name) == t.without_cost.end()) {
      t.without_cost.push_back(s.name);
    }
    t.rows.push_back(std::move(r));
  };
  for (const auto& [key, site] : sites_) add(*site);
  if (outside_ != nullptr) add(*outside_);
}

// From one beginning to the next, with the two readings of the clock that an observed event has.
double profile_thread::cost_of_event() {
  constexpr std::size_t count = 1000;
  static const profile::options plain{};
  profile_thread scratch(0, plain);
  std::vector<std::int64_t> times(count + 1);
  for (std::size_t i = 0; i < times.size(); ++i) {
    {
      const std::lock_guard lock(scratch.mutex_);
      scratch.open(scratch.site_of_range("empty", observe::kind::range), i, observe::kind::range);
    }
    times[i] = observe::clock_ns();
    const std::int64_t duration = observe::clock_ns() - times[i];
    const std::lock_guard lock(scratch.mutex_);
    scratch.close({i, 0, observe::kind::range, false, times[i], duration}, 0);
  }
  for (std::size_t i = 0; i < count; ++i) times[i] = times[i + 1] - times[i];
  times.pop_back();
  std::ranges::sort(times);
  return static_cast<double>(times[count / 2]);
}

}  // namespace topbit::detail
