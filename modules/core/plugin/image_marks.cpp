module;

#include <elf.h>
#include <link.h>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

#include <cstring>
#include <fstream>

// ELF header of the shared object that contains this code, defined by the linker.
extern "C" [[gnu::visibility("hidden")]] const ElfW(Ehdr) __ehdr_start;

module topbit.core;

import topbit.std;
import :plugin.image_marks;
import :registry.entry;

namespace topbit::detail {

namespace views = ranges::views;

namespace {

// Calls f(kind, description) for each topbit note in a note segment.
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
      f(head.n_type, segment.substr(description_at, head.n_descsz));
    }
    segment.remove_prefix(end);
  }
}

void read_marks(image_marks& marks, std::string_view segment) {
  for_each_note(segment, [&](std::uint32_t kind, std::string_view description) {
    const std::string_view text = description.substr(0, description.find('\0'));
    if (kind == note_is_the_core) marks.core_version = text;
    // One object file built with another version suffices to reject.
    if (kind == note_uses_topbit && (marks.built_with.empty() || text != version)) marks.built_with = text;
  });
}

// Other shared objects with a core that has created a process registry. The executable has an empty name.
std::vector<std::string> images_with_registries() {
  std::vector<std::string> names;
  const auto look = [](dl_phdr_info* image, std::size_t, void* found) {
    for (const auto& part : std::span(image->dlpi_phdr, image->dlpi_phnum)) {
      if (part.p_type != PT_NOTE) continue;
      const auto* begin = reinterpret_cast<const char*>(image->dlpi_addr + part.p_vaddr);
      for_each_note({begin, part.p_memsz}, [&](std::uint32_t kind, std::string_view description) {
        constexpr std::size_t core = sizeof(core_note) - offsetof(core_note, note.description);
        if (kind != note_is_the_core || description.size() < core) return;
        if (description.data() == topbit_the_core.note.description) return;
        const auto* other =
            reinterpret_cast<const core_note*>(description.data() - offsetof(core_note, note.description));
        if (other->has_registry != 0) static_cast<std::vector<std::string>*>(found)->emplace_back(image->dlpi_name);
      });
    }
    return 0;
  };
  dl_iterate_phdr(look, &names);
  return names;
}

std::string quoted(const std::string& image) { return image.empty() ? "the program" : "'" + image + "'"; }

}  // namespace

void report_other_registries() {
  for (const std::string& other : images_with_registries()) {
    author::warn(
        {"two registries in one process: ", quoted(other), " and ", quoted(image_name(&topbit_the_core)),
         " carry a core each, and neither sees what is registered in the other; link both to one shared core"});
  }
}

std::string where_else_to_look() {
  const std::vector<std::string> images = images_with_registries();
  const std::string others =
      images | views::transform(quoted) | views::join(std::string(", ")) | ranges::to<std::string>();
  if (others.empty()) return {};
  return " in " + quoted(image_name(&topbit_the_core)) + "; " + others + " has a registry of its own";
}

image_marks marks_of_file(const std::string& path) {
  image_marks marks;
  std::ifstream file(path, std::ios::binary);
  ElfW(Ehdr) head{};
  file.read(reinterpret_cast<char*>(&head), sizeof head);
  marks.is_library = file.good() && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_type == ET_DYN &&
                     head.e_phentsize == sizeof(ElfW(Phdr)) && head.e_machine == __ehdr_start.e_machine;
  if (!marks.is_library) return marks;
  const auto needs = [&](std::uint64_t begin, std::uint64_t size) {
    const std::uint64_t end = begin + size;
    marks.mapped = std::max(marks.mapped, end < begin ? std::numeric_limits<std::uint64_t>::max() : end);
  };
  file.seekg(0, std::ios::end);
  marks.bytes = static_cast<std::uint64_t>(file.tellg());
  needs(head.e_phoff, std::uint64_t{head.e_phnum} * sizeof(ElfW(Phdr)));
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part{};
    file.clear();
    file.seekg(static_cast<std::streamoff>(head.e_phoff + i * sizeof part));
    file.read(reinterpret_cast<char*>(&part), sizeof part);
    if (file.good() && part.p_type == PT_LOAD) needs(part.p_offset, part.p_filesz);
    if (!file.good() || part.p_type != PT_NOTE || part.p_filesz > 1 << 20) continue;
    std::string segment(part.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    file.read(segment.data(), static_cast<std::streamsize>(segment.size()));
    if (file.good()) read_marks(marks, segment);
  }
  return marks;
}

}  // namespace topbit::detail
