// Pins shared libraries. The lookup by address is the C library's own, lock-free one; the reference that keeps the
// library mapped is taken with NODELETE and never given back, so neither dlclose nor process exit unmaps its code.
module;

#include <dlfcn.h>
#include <link.h>

module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {
constinit std::mutex pinned_mutex;
constinit std::vector<const void*>* pinned = nullptr;  // never freed: it must outlive every static destructor
}  // namespace

void pin_image_of(const void* address) noexcept {
  dl_find_object image{};
  if (_dl_find_object(const_cast<void*>(address), &image) != 0) return;
  {
    const std::lock_guard lock(pinned_mutex);
    if (pinned == nullptr) pinned = new std::vector<const void*>;
    if (std::ranges::find(*pinned, image.dlfo_map_start) != pinned->end()) return;
  }
  // The executable has an empty name and cannot be unloaded. No lock is held here: an initialiser of a library that
  // is being loaded may register, so whoever waits for the loader must not keep the registry waiting. Twice is
  // harmless.
  if (image.dlfo_link_map != nullptr && image.dlfo_link_map->l_name[0] != '\0') {
    dlopen(image.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  const std::lock_guard lock(pinned_mutex);
  pinned->push_back(image.dlfo_map_start);
}

}  // namespace topbit::detail
