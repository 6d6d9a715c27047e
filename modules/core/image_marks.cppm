// What an image says of itself: the notes that :version leaves in it. Internal.
export module topbit.core:image_marks;

import topbit.std;

namespace topbit {

namespace detail {

struct image_marks {
  bool is_library = false;   // an ELF file of this machine's kind
  std::string core_version;  // of the core it carries; empty if it carries none
  std::string built_with;    // of the topbit it was compiled with; empty if it does not use topbit
  std::uint64_t bytes = 0;   // of the file
  std::uint64_t mapped =
      0;  // where the last of them ends that the loader maps: touching one that is not there is a signal
};

// Reads the file; runs nothing of it.
image_marks marks_of_file(const std::string& path);

// Two libraries with a core each, their symbols kept to themselves, have two registries.

// Says on the error output which images of this process have one of their own.
void report_other_registries();
// " in 'a.so'; 'b.so' has a registry of its own", or nothing where this core's is the only one.
std::string where_else_to_look();

}  // namespace detail

}  // namespace topbit
