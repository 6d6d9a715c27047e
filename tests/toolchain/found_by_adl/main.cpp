#include "../check.h"

import fact.dispatch;

namespace toy {
struct image {
  key_set keys;
};
constexpr key_set keys_of(const image& i) noexcept { return i.keys; }
}  // namespace toy

static_assert(keyed<toy::image> && !keyed<double>);

int main() { CHECK(gather(toy::image{{2}}, 3.0, toy::image{{8}}) == 10); }
