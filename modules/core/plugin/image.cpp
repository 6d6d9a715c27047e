// Pins shared objects. The lookup by address uses the C library's lock-free _dl_find_object; the object is then opened
// with RTLD_NODELETE and never closed, so neither dlclose nor process exit unmaps its code.
module;

#include <dlfcn.h>
#include <link.h>

module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {

constinit std::mutex pinned_mutex;
constinit std::vector<const void*>* pinned = nullptr;  // never freed: it must outlive every static destructor
// A lock-free cache of `pinned`: few shared objects register, each many times. Slots are overwritten round-robin; a
// miss costs a search of the list.
constinit std::array<std::atomic<const void*>, 8> recently_pinned{};
constinit std::atomic<unsigned> next_slot = 0;

}  // namespace

std::mutex& mutex_of_pins() noexcept { return pinned_mutex; }

// The link map: of an executable whose segments have gaps between them, the C library knows each as a range of its own.
const void* image_of(const void* address) noexcept {
  dl_find_object image{};
  return _dl_find_object(const_cast<void*>(address), &image) == 0 ? image.dlfo_link_map : nullptr;
}

std::string image_name(const void* address) {
  dl_find_object image{};
  const bool found = _dl_find_object(const_cast<void*>(address), &image) == 0 && image.dlfo_link_map != nullptr;
  return found ? image.dlfo_link_map->l_name : "";
}

std::vector<const void*> loaded_images() {
  std::vector<const void*> images;
  const auto add = [](dl_phdr_info* image, std::size_t, void* all) {
    static_cast<std::vector<const void*>*>(all)->push_back(image_of(image->dlpi_phdr));
    return 0;
  };
  dl_iterate_phdr(add, &images);
  return images;
}

void pin_image_of(const void* address) {
  dl_find_object image{};
  if (_dl_find_object(const_cast<void*>(address), &image) != 0) return;
  for (const std::atomic<const void*>& each : recently_pinned) {
    if (each.load(std::memory_order_relaxed) == image.dlfo_link_map) return;
  }
  bool known = false;
  {
    const std::lock_guard lock(pinned_mutex);
    if (pinned == nullptr) pinned = new std::vector<const void*>;
    known = std::ranges::find(*pinned, image.dlfo_link_map) != pinned->end();
  }
  // The executable has an empty name and cannot be unloaded. No lock is held during dlopen: it takes the loader's lock,
  // and an initialiser that runs under that lock may register and wait for this one. Two threads may pin the same
  // object; that is harmless.
  if (!known && image.dlfo_link_map != nullptr && image.dlfo_link_map->l_name[0] != '\0') {
    dlopen(image.dlfo_link_map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  }
  const std::lock_guard lock(pinned_mutex);
  if (!known) pinned->push_back(image.dlfo_link_map);
  recently_pinned[next_slot++ % recently_pinned.size()].store(image.dlfo_link_map, std::memory_order_relaxed);
}

}  // namespace topbit::detail
