// Who takes memory, and who held it when most was in use. Internal.
module topbit.profiler:memory;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :recorder;
import :table;

namespace topbit {

namespace detail {

struct memory_sample {
  std::int64_t at_ns;
  std::size_t device;  // an index
  std::uint64_t bytes;
};

class profile_memory final : public author::memory_observer {
 public:
  profile_memory(std::shared_ptr<profile_recorder> r, std::size_t limit);
  profile_memory(const profile_memory&) = delete;
  ~profile_memory() override;

  void allocated(device where, const void* block, std::size_t bytes) noexcept override;
  void freed(device where, const void* block, std::size_t bytes) noexcept override;
  std::string in_use(device where) const override;

  // Told of memory from now on, holding none; no longer told of it, what it knows stays.
  void begin();
  void stop() noexcept;
  // What is allocated from now on counts, until pause(); blocks that are held stay known.
  void clear();
  void pause();
  void add_to(profile::table& t) const;
  // In order.
  std::vector<std::pair<device, memory_sample>> samples() const;

 private:
  // Its own texts: what a thread recorded is freed when it ends.
  struct by_name {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      return std::tie(a.first, a.second) < std::tie(b.first, b.second);
    }
  };
  struct blocks_held {
    std::uint64_t bytes = 0, blocks = 0;
  };
  using holders = std::map<std::pair<std::string, std::string>, blocks_held, by_name>;
  struct held_block {
    blocks_held* by;  // of its device
    std::size_t bytes;
  };
  struct of_device {
    device where;
    std::uint64_t bytes = 0, peak = 0;
    bool rising = false;  // `at_peak` is older than the peak
    holders now, at_peak;
    // Before what is in use changes, if the peak is now.
    void keep_peak() {
      if (std::exchange(rising, false)) at_peak = now;
    }
  };
  std::size_t index_of(device where);
  void keep(const memory_sample& s);
  static std::vector<profile::holder> largest(const holders& all, std::size_t most);

  std::shared_ptr<profile_recorder> recorder_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::vector<of_device> devices_;
  std::unordered_map<const void*, held_block> blocks_;
  std::vector<memory_sample> samples_;
  std::uint64_t dropped_ = 0;  // samples
  bool on_ = false;            // it is told of memory
};

}  // namespace detail

}  // namespace topbit
