// A program may include standard headers before or after it imports a module that has some of them in its global
// module fragment.
module;
#include <string>
#include <vector>
export module fact.text;

export inline std::vector<std::string> words() { return {"one", "two"}; }
