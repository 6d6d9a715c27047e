#include <algorithm>
#include <string>
#include <vector>

import fact.text;

unsigned long include_first() {
  std::vector<std::string> all = words();
  std::sort(all.begin(), all.end());
  return all.size();
}
