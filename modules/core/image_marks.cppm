// What an image says of itself: the notes that :version leaves in it. Internal.
export module topbit.core:image_marks;

import topbit.std;

namespace topbit {

namespace detail {

struct image_marks {
  bool is_library = false;   // an ELF file of this machine's kind
  std::string core_version;  // of the core it carries; empty if it carries none
  std::string built_with;    // of the topbit it was compiled with; empty if it does not use topbit
};

// Reads the file; runs nothing of it.
image_marks marks_of_file(const std::string& path);

}  // namespace detail

}  // namespace topbit
