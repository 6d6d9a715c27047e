// The calls that pages show, taken apart: a name, and arguments as call_text() reads them. Include this after every
// other header: it imports.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

import topbit;
import topbit.operator_docs;

namespace pages {

namespace tb = topbit;

/// "sum.dim_IntList([[1, 2], [3, 4]], 0)"
struct shown_call {
  std::string name;                    // with the namespace
  std::vector<std::string> arguments;  // "[[1, 2], [3, 4]]", "0"
};

inline std::string trimmed(std::string_view s) {
  while (s.starts_with(' ')) s.remove_prefix(1);
  while (s.ends_with(' ')) s.remove_suffix(1);
  return std::string(s);
}

/// At commas outside of brackets and quotes, or another separator.
inline std::vector<std::string> split(std::string_view text, char separator = ',') {
  std::vector<std::string> parts;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if (c == separator && depth == 0) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (const std::string last = trimmed(text.substr(begin)); !last.empty() || !parts.empty()) parts.push_back(last);
  return parts;
}

inline shown_call parsed(std::string_view ns, std::string_view call) {
  const std::size_t open = call.find('(');
  const std::string_view inside = call.substr(open + 1, call.size() - open - 2);
  return {std::string(ns) + "::" + std::string(call.substr(0, open)), split(inside)};
}

inline std::vector<std::string> run(const shown_call& c) {
  const std::vector<std::string_view> arguments(c.arguments.begin(), c.arguments.end());
  return tb::call_text(tb::find(c.name), arguments);
}

inline std::string text_of(const shown_call& c) {
  std::string text = c.name + "(";
  for (const std::string& a : c.arguments) text += (text.ends_with('(') ? "" : ", ") + a;
  return text + ")";
}

/// The schema's argument that the text at this place is for: by name, or by its place.
inline const tb::author::schema_item* argument_of(const tb::author::schema_view& s, std::string_view text,
                                                  std::size_t place) {
  for (const tb::author::schema_item& a : s.arguments) {
    if (text.starts_with(a.name) && text.substr(a.name.size()).starts_with('=')) return &a;
  }
  return place < s.arguments.size() ? &s.arguments[place] : nullptr;
}

/// The type of what the call throws, by the name pages use for it; empty if it throws nothing.
inline std::string thrown_by(const shown_call& c, std::string& message) {
  const auto caught = [&](std::string_view type, const std::exception& e) {
    message = e.what();
    return std::string(type);
  };
  try {
    run(c);
  } catch (const tb::shape_error& e) {
    return caught("shape_error", e);
  } catch (const tb::dtype_error& e) {
    return caught("dtype_error", e);
  } catch (const tb::device_error& e) {
    return caught("device_error", e);
  } catch (const tb::no_kernel& e) {
    return caught("no_kernel", e);
  } catch (const tb::bad_argument& e) {
    return caught("bad_argument", e);
  } catch (const tb::error& e) {
    return caught("error", e);
  } catch (const std::exception& e) {
    return caught("std::exception", e);
  }
  return {};
}

}  // namespace pages
