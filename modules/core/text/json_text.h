// Writes JSON on one line, with invalid UTF-8 replaced. Include after nlohmann/json.hpp.
#pragma once

namespace topbit::detail {

inline std::string json_text(const nlohmann::ordered_json& j) {
  return j.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace topbit::detail
