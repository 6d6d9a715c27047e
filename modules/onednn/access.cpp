module;

#include "library.h"

module topbit.onednn;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :arrays;

namespace topbit::onednn {

std::string version() { return library::version(); }

std::string format_of(const tensor& t) { return library::format_of(array_of(t)); }

std::int64_t bytes_of(const tensor& t) { return static_cast<std::int64_t>(library::bytes_of(array_of(t))); }

primitive_statistics primitives() noexcept {
  const library::cache_statistics s = library::cache();
  return {s.hits, s.misses, s.entries};
}

}  // namespace topbit::onednn
