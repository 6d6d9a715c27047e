// A library with a core of its own, as an extension module of another program may be. Says what its core answers.
#include <exception>
#include <string>

import topbit.core;

namespace {

int one() { return 1; }
const auto block = topbit::library(OWN_REGISTRY).def<&one>("there");

}  // namespace

extern "C" const char* look_for(const char* name) {
  static std::string text;
  try {
    text = std::string(topbit::find(name).name()) + " was found";
  } catch (const std::exception& e) {
    text = e.what();
  }
  return text.c_str();
}
