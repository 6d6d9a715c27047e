// Removes source locations from a text, so that a test can compare the rest.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>

namespace toy {

/// Replaces every source location in the calling file by HERE.
inline std::string without_places(std::string text,
                                  std::string_view file = std::source_location::current().file_name()) {
  for (std::size_t at; (at = text.find(file)) != std::string::npos;) {
    std::size_t end = at + file.size() + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    text.replace(at, end - at, "HERE");
  }
  return text;
}

}  // namespace toy
