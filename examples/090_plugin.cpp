// 090: plugins. The registrations of a shared library are accepted as a whole or not at all, and removed together.
#include <cstdio>
#include <string>

import topbit.core;
namespace tb = topbit;

struct image {
  tb::key_set keys;
  int width, height;
};
constexpr tb::key_set keys_of(const image& i) noexcept { return i.keys; }

// Declared here and in the plugin: a name and a C++ signature are the whole interface.
inline constexpr tb::op<"img::sepia", int(const image&)> sepia;

void try_it() {
  try {
    std::printf("  %d pixels\n", sepia(image{tb::key::CPU, 4, 3}));
  } catch (const tb::no_kernel& e) {
    std::printf("  %s\n", e.what());
  }
}

int main() {
  std::puts("before:");
  try_it();

  tb::plugin p = tb::load_plugin(SEPIA_PLUGIN);
  std::puts("loaded:");
  try_it();

  p.withdraw();
  std::puts("withdrawn:");
  try_it();

  // A refused plugin reports why, and nothing of it is registered.
  const auto mine = tb::library("img");
  try {
    p = tb::load_plugin(SEPIA_PLUGIN);
  } catch (const tb::bad_plugin& e) {
    const std::string text = e.what();
    std::puts(text.find("the namespace has one already") != std::string::npos ? "refused: the namespace is taken"
                                                                              : e.what());
  }
}

// prints: before:
// prints:   img::sepia: declared, never registered: was its object linked?
// prints: loaded:
// prints:   12 pixels
// prints: withdrawn:
// prints:   img::sepia: was withdrawn: its library is gone or was reset
// prints: refused: the namespace is taken
