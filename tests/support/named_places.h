// Replaces source locations in a text by names, so that a test can compare it whole: "f.cpp:12" becomes "A".
#pragma once

#include <cstddef>
#include <initializer_list>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace toy {

class named_places {
 public:
  named_places(std::initializer_list<std::pair<std::string, std::source_location>> all) : all_(all) {}

  std::string operator()(std::string text) const {
    for (const auto& [name, where] : all_) {
      const std::string place = std::string(where.file_name()) + ":" + std::to_string(where.line());
      for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += name.size()) {
        const std::size_t end = at + place.size();
        if (end < text.size() && text[end] >= '0' && text[end] <= '9') continue;
        text.replace(at, place.size(), name);
      }
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::source_location>> all_;
};

}  // namespace toy
