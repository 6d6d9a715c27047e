// The version, and the mark it leaves in every shared object that uses topbit.
//
// The mark is an ELF note, so that it can be read from a file before any of its code runs: load_plugin refuses a plugin
// that was built with another version, or that carries a core of its own. See plugin.cpp.
export module topbit.core:version;

import topbit.std;

namespace topbit {

/// Of the library this program was compiled with.
export inline constexpr std::string_view version = "0.2.0";

namespace detail {

inline constexpr char note_owner[8] = "topbit";
enum note_kind : std::uint32_t { note_uses_topbit = 1, note_is_the_core = 2 };

// Laid out as the ELF specification has it: sizes of owner and description, a kind, then both, padded to four bytes.
struct version_note {
  std::uint32_t owner_size = sizeof note_owner;
  std::uint32_t description_size = sizeof(char[16]);
  std::uint32_t kind = note_uses_topbit;
  char owner[8]{};
  char description[16]{};

  // `more` bytes of the description follow this.
  constexpr explicit version_note(std::uint32_t k, std::uint32_t more = 0) noexcept
      : description_size(sizeof description + more), kind(k) {
    for (std::size_t i = 0; i < sizeof owner; ++i) owner[i] = note_owner[i];
    for (std::size_t i = 0; i < version.size(); ++i) description[i] = version[i];
  }
};
static_assert(version.size() < 16);

// Says that the shared object carries a core, and whether that has made a registry of the process: one that another
// shared object's symbols stand in for never does. Its plain name is how one is looked for among what a plugin depends
// on.
struct core_note {
  version_note note{note_is_the_core, sizeof(std::uint32_t)};
  std::atomic<std::uint32_t> has_registry = 0;
};
static_assert(sizeof(core_note) == sizeof(version_note) + sizeof(std::uint32_t));
extern "C" {
extern core_note topbit_the_core;
}

// A template, so that each shared object that declares an operator has one of its own.
template <int>
struct image_note {
  // The address sanitizer would pad it, and a padded note is none.
  [[gnu::section(".note.topbit"), gnu::visibility("hidden"),
    clang::no_sanitize("address")]] static inline constinit const version_note value{note_uses_topbit};
};

}  // namespace detail

}  // namespace topbit
