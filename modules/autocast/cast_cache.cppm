// The casts of weights and constants that the outermost scope of a thread owns. Internal.
module topbit.autocast:cast_cache;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.autograd;

namespace topbit::detail {

// Open addressing by the record of the source, which the entry keeps alive, and the dtype. A source is cast again,
// in the same entry, if it or its cast was written since. The node of a cast saves no tensor, so a backward() over it
// can be repeated.
class cast_cache {
 public:
  // Null if there is none.
  inline const tensor* find(const tensor& source, dtype to) const {
    for (std::size_t i = first(source, to, slots_.size());; i = (i + 1) & (slots_.size() - 1)) {
      const slot& s = slots_[i];
      if (!s.source.defined()) return nullptr;
      if (!is_of(s, source, to)) continue;
      return s.version == source.version() && s.cast_version == s.cast.version() ? &s.cast : nullptr;
    }
  }
  void put(const tensor& source, dtype to, const tensor& cast) {
    if ((used_ + 1) * 2 > slots_.size()) grow();
    slot& s = free_or_same(slots_, source, to);
    if (!s.source.defined()) ++used_;
    s = {source, cast, to, source.version(), cast.version()};
  }

 private:
  struct slot {
    tensor source, cast;
    dtype to{};
    std::uint32_t version = 0, cast_version = 0;
  };

  static inline bool is_of(const slot& s, const tensor& source, dtype to) noexcept {
    return &author::record_of(s.source) == &author::record_of(source) && s.to == to;
  }
  static inline std::size_t first(const tensor& source, dtype to, std::size_t size) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(&author::record_of(source));
    return ((address >> 6) * 0x9E3779B97F4A7C15 >> 32 ^ static_cast<std::size_t>(to)) & (size - 1);
  }
  static slot& free_or_same(std::vector<slot>& in, const tensor& source, dtype to) noexcept {
    std::size_t i = first(source, to, in.size());
    while (in[i].source.defined() && !is_of(in[i], source, to)) i = (i + 1) & (in.size() - 1);
    return in[i];
  }
  void grow() {
    std::vector<slot> more(slots_.size() * 2);
    for (slot& s : slots_) {
      if (s.source.defined()) free_or_same(more, s.source, s.to) = std::move(s);
    }
    slots_ = std::move(more);
  }

  std::vector<slot> slots_ = std::vector<slot>(16);
  std::size_t used_ = 0;
};

}  // namespace topbit::detail
