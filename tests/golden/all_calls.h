// A sample of the calls of all golden files, with their arguments as text. Include this after every other header: it
// imports.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "golden/data.h"
#include "support/scale.h"

import topbit;

namespace golden {

/// Calls visit(operator, block, case, arguments) for each call that is drawn.
template <class Visit>
void each_drawn_call(const std::filesystem::path& folder, Visit visit) {
  sampled_cases drawn;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (!is_data(file.path().filename().string())) continue;
    for (const block& b : read_blocks(file.path())) {
      const std::optional<topbit::operator_handle> op = topbit::registry::process().try_find(b.name);
      if (!op) continue;
      for (const one_case& c : b.cases) {
        if (drawn.is_drawn()) visit(*op, b, c, std::vector<std::string_view>(c.arguments.begin(), c.arguments.end()));
      }
    }
  }
}

}  // namespace golden
