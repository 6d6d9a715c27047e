// The message of the exception that a call throws.
#pragma once

#include <exception>
#include <string>

namespace toy {

template <class Error, class F>
std::string text_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another type of error: ") + e.what();
  }
  return "nothing was thrown";
}

}  // namespace toy
