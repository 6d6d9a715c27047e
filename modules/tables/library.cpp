module topbit.tables;

import topbit.std;
import topbit.core;

namespace topbit::tables {

key_target registered_key(std::string_view file, position at, std::string_view word) {
  if (const auto found = parse_key(word)) return *found;
  mistake m{.at = at};
  m.text.add("found the key '").add(word);
  m.text.add("', wanted one of a private backend that is registered, or another dispatch key");
  throw bad_registration(std::string(sentence_of(file, m).view()));
}

}  // namespace topbit::tables
