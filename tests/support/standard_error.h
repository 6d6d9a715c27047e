// What a function leaves on the standard error output.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>

namespace toy {

template <class F>
std::string standard_error_of(F&& f) {
  std::FILE* file = std::tmpfile();
  const int kept = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  std::forward<F>(f)();
  dup2(kept, STDERR_FILENO);
  close(kept);
  std::rewind(file);
  std::string text;
  for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace toy
