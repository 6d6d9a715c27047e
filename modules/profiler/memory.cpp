module topbit.profiler;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :memory;

namespace topbit::detail {

namespace {

constexpr std::size_t shown_holders = 10;

}  // namespace

profile_memory::profile_memory(std::shared_ptr<profile_recorder> r, std::size_t limit)
    : recorder_(std::move(r)), limit_(limit) {}
profile_memory::~profile_memory() { stop(); }

void profile_memory::begin() {
  {
    const std::lock_guard lock(mutex_);
    blocks_.clear();
    for (of_device& d : devices_) {
      d.bytes = 0;
      d.now.clear();
    }
  }
  author::add_memory_observer(*this);
  on_ = true;
}
void profile_memory::stop() noexcept {
  if (std::exchange(on_, false)) author::remove_memory_observer(*this);
}

std::size_t profile_memory::index_of(device where) {
  const auto found = std::ranges::find_if(devices_, [&](const of_device& d) { return d.where == where; });
  if (found != devices_.end()) return static_cast<std::size_t>(found - devices_.begin());
  devices_.push_back({where, 0, 0, false, {}, {}});
  return devices_.size() - 1;
}

// Without memory for its own lists it forgets the block.
void profile_memory::allocated(device where, const void* block, std::size_t bytes) noexcept try {
  if (!recorder_->is_on()) return;
  std::string_view name = outside_of_calls, range;
  if (profile_thread* const mine = recorder_->of_this_thread()) {
    const profile_site& site = mine->allocated(bytes);
    name = site.name;
    if (site.range != nullptr) range = *site.range;
  }
  const std::lock_guard lock(mutex_);
  const std::size_t i = index_of(where);
  of_device& d = devices_[i];
  auto holder = d.now.find(std::pair(name, range));
  if (holder == d.now.end()) holder = d.now.try_emplace({std::string(name), std::string(range)}).first;
  blocks_held& by = holder->second;
  blocks_.insert_or_assign(block, held_block{&by, bytes});
  by.bytes += bytes;
  ++by.blocks;
  d.bytes += bytes;
  if (d.bytes > d.peak) {
    d.peak = d.bytes;
    d.rising = true;
  }
  keep({observe::clock_ns(), i, d.bytes});
} catch (const std::bad_alloc&) {
}

// The holders at a peak are copied when the first block after it is freed.
void profile_memory::freed(device where, const void* block, std::size_t) noexcept try {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(block);
  if (found == blocks_.end()) return;
  const std::size_t i = index_of(where);
  of_device& d = devices_[i];
  d.keep_peak();
  const held_block held = found->second;
  blocks_.erase(found);
  held.by->bytes -= held.bytes;
  --held.by->blocks;
  d.bytes -= held.bytes;
  keep({observe::clock_ns(), i, d.bytes});
} catch (const std::bad_alloc&) {
}

void profile_memory::keep(const memory_sample& s) {
  if (!recorder_->is_on()) return;
  if (samples_.size() < limit_)
    samples_.push_back(s);
  else
    ++dropped_;
}

std::vector<profile::holder> profile_memory::largest(const holders& all, std::size_t most) {
  std::vector<profile::holder> list;
  for (const auto& [of, held] : all) {
    if (held.blocks != 0) list.push_back({of.first, of.second, held.bytes, held.blocks});
  }
  std::ranges::sort(list, [](const auto& a, const auto& b) {
    return std::tie(b.bytes, a.name, a.range) < std::tie(a.bytes, b.name, b.range);
  });
  if (list.size() > most) list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
  return list;
}

std::string profile_memory::in_use(device where) const {
  constexpr std::size_t most = 5;
  const std::lock_guard lock(mutex_);
  const auto d = std::ranges::find_if(devices_, [&](const of_device& each) { return each.where == where; });
  if (d == devices_.end()) return {};
  std::string text =
      "of the memory allocated since the profile began, " + std::to_string(d->bytes) + " bytes are in use";
  const char* separator = ": ";
  for (const profile::holder& h : largest(d->now, most)) {
    text += std::exchange(separator, ", ") + std::to_string(h.bytes) + " by " + h.name +
            (h.range.empty() ? "" : " in " + h.range);
  }
  return text;
}

void profile_memory::pause() {
  const std::lock_guard lock(mutex_);
  for (of_device& d : devices_) d.keep_peak();
}

void profile_memory::clear() {
  const std::lock_guard lock(mutex_);
  samples_.clear();
  dropped_ = 0;
  for (of_device& d : devices_) {
    d.peak = d.bytes;
    d.rising = true;
  }
}

std::vector<std::pair<device, memory_sample>> profile_memory::samples() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<device, memory_sample>> all;
  all.reserve(samples_.size());
  for (const memory_sample& s : samples_) all.emplace_back(devices_[s.device].where, s);
  return all;
}

void profile_memory::add_to(profile::table& t) const {
  const std::lock_guard lock(mutex_);
  t.dropped += dropped_;
  for (const of_device& d : devices_)
    t.peaks.push_back({d.where, d.peak, largest(d.rising ? d.now : d.at_peak, shown_holders)});
}

}  // namespace topbit::detail
