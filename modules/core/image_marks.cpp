module;

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>

// The header of the image this stands in, by the linker.
extern "C" [[gnu::visibility("hidden")]] const ElfW(Ehdr) __ehdr_start;

module topbit.core;

import topbit.std;

namespace topbit::detail {

namespace {

// Calls f(kind, description) for each note of topbit's in a segment of notes.
template <class F>
void for_each_note(std::string_view segment, F&& f) {
  while (segment.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, segment.data(), sizeof head);
    const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
    const std::size_t owner_at = sizeof head, description_at = owner_at + padded(head.n_namesz);
    const std::size_t end = description_at + padded(head.n_descsz);
    if (end > segment.size()) return;
    if (segment.substr(owner_at, head.n_namesz) == std::string_view(note_owner, sizeof note_owner)) {
      const std::string_view text = segment.substr(description_at, head.n_descsz);
      f(head.n_type, text.substr(0, text.find('\0')));
    }
    segment.remove_prefix(end);
  }
}

void read_marks(image_marks& marks, std::string_view segment) {
  for_each_note(segment, [&](std::uint32_t kind, std::string_view text) {
    if (kind == note_is_the_core) marks.core_version = text;
    // One object built with another version is enough.
    if (kind == note_uses_topbit && (marks.built_with.empty() || text != version)) marks.built_with = text;
  });
}

}  // namespace

image_marks marks_of_file(const std::string& path) {
  image_marks marks;
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  marks.is_library = file.good() && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_DYN &&
                     head.e_phentsize == sizeof(ElfW(Phdr)) && head.e_machine == __ehdr_start.e_machine;
  if (!marks.is_library) return marks;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    file.clear();
    file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof part));
    file.read(reinterpret_cast<char*>(&part), sizeof part);
    if (!file.good() || part.p_type != PT_NOTE || part.p_filesz > 1 << 20) continue;
    std::string segment(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(segment.data(), static_cast<std::streamsize>(segment.size()));
    if (file.good()) read_marks(marks, segment);
  }
  return marks;
}

}  // namespace topbit::detail
