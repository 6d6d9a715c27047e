import fact.text;

#include <algorithm>
#include <string>
#include <vector>

unsigned long import_first() {
  std::vector<std::string> all = words();
  std::sort(all.begin(), all.end());
  return all.size();
}
