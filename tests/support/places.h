// Where something was registered is a file and a line; a test that pins a whole text pins neither of them.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>
#include <string_view>

namespace toy {

/// Every place in the calling file becomes HERE.
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
