// The ELF notes of a shared object that :version leaves in it. Internal.
module topbit.core:plugin.image_marks;

import topbit.std;

namespace topbit {

namespace detail {

struct image_marks {
  bool is_library = false;   // an ELF file for this platform
  std::string core_version;  // of the core it carries; empty if it carries none
  std::string built_with;    // of the topbit it was compiled with; empty if it does not use topbit
  std::uint64_t bytes = 0;   // of the file
  std::uint64_t mapped = 0;  // the end of the last mapped segment: touching a byte that is missing raises SIGBUS
};

// Reads the file; runs nothing of it.
image_marks marks_of_file(const std::string& path);

// Two shared objects with hidden copies of the core have two registries.

// Warns of shared objects in this process that have a registry of their own.
void report_other_registries();
// " in 'a.so'; 'b.so' has a registry of its own", or nothing where this core's is the only one.
std::string where_else_to_look();

}  // namespace detail

}  // namespace topbit
