// Functions of shared libraries that are loaded while the program runs. Internal.
module;

#include <dlfcn.h>

module topbit.profiler:shared_library;

namespace topbit {

namespace detail {

// Null if the library has none of this name.
template <class Function>
void find_function(Function*& function, void* library, const char* name) noexcept {
  function = reinterpret_cast<Function*>(dlsym(library, name));
}

}  // namespace detail

}  // namespace topbit
