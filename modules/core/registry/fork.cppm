// Forks: what this module holds during one. Internal.
module topbit.core:registry.fork;

import topbit.std;
import :registry.registry_state;

namespace topbit {

namespace detail {

// From now on, for this registry and all that the process has one of.
void survive_forks(registry_state& process) noexcept;

// What others keep to themselves.
std::mutex& mutex_of_pins() noexcept;
std::mutex& mutex_of_names() noexcept;
std::mutex& mutex_of_pages() noexcept;
std::mutex& mutex_of_text_types() noexcept;
void hold_observers() noexcept;
void release_observers(bool in_child) noexcept;
void hold_plugins() noexcept;
void release_plugins(bool in_child) noexcept;

}  // namespace detail

}  // namespace topbit
