// Two signatures, and the first thing in which they differ, as a sentence. The types are names here, so that one
// function serves the compiler, which has types, and the registry, which has what was registered.
export module topbit.core:schema.mismatch;

import topbit.std;
import :keys.key_set;
import :schema.literal;
import :schema.signature_types;
import :text.text;

namespace topbit {

namespace detail {

// What an argument of a rule is: one of the operator's, or something about it, as in "batch dimension of 'self'".
struct argument_label {
  std::string_view name;
  std::string_view role = {};
};

struct comparison {
  std::string_view kind;  // what is looked at: "kernel", "batching rule"
  std::string_view op;
  std::string_view part = {};                   // a function of it: "save()"
  std::string_view needs = "the schema needs";  // who wants the types
  std::string_view arity = "the schema has";    // and their number
  signature_types wanted, found;
  std::span<const argument_label> labels = {};  // of the wanted arguments; may be fewer
  std::string_view result_mend = {};            // of this kind of rule
  bool has_schema = false;                      // the types come from words such as int, float, str
  bool may_take_keys = true;
  bool keys_stripped = false;  // found had a leading key set, which is none of its arguments here
};

// ------------------------------------------------------------------------------------------------------------ fixes

constexpr std::string_view bare(std::string_view type) {
  if (type.starts_with("const ")) type.remove_prefix(6);
  while (type.ends_with('&') || type.ends_with(' ')) type.remove_suffix(1);
  return type;
}
// What stands between "std::span<" and ">"; empty if the type is none of that template.
constexpr std::string_view inside(std::string_view type, std::string_view begin) {
  if (!type.starts_with(begin) || !type.ends_with('>')) return {};
  return type.substr(begin.size(), type.size() - begin.size() - 1);
}
constexpr bool is_other_integer(std::string_view type) {
  return is_one_of(type, {"int", "unsigned int", "short", "unsigned short", "signed char", "unsigned char", "char",
                          "unsigned long", "long long", "unsigned long long"});
}

// How to fix a typical mistake, as the end of its message; empty if unknown.
constexpr std::string_view mend_of_word(std::string_view wanted, std::string_view found) {
  if (wanted == "int64_t" && is_other_integer(found)) return "; an int of a schema is std::int64_t";
  if (wanted == "double" && found == "float") return "; a float of a schema is double";
  if (wanted == "std::complex<double>" && found == "std::complex<float>")
    return "; a complex of a schema is std::complex<double>";
  const bool text = found == "std::string" || found == "char*";
  if (wanted == "std::string_view" && text) return "; a str of a schema is std::string_view";
  if (const std::string_view element = inside(wanted, "std::span<const "); !element.empty()) {
    if (element == "bool" && found == "std::vector<bool>")
      return "; std::vector<bool> holds bits and no bools, a bool[] of a schema is std::span<const bool>";
    if (found.starts_with("std::vector<")) return "; a list is passed as std::span<const T>, not copied";
    if (inside(found, "std::span<") == element) return "; its elements are const, since they belong to the caller";
    if (const std::string_view other = inside(found, "std::span<const "); !other.empty())
      return mend_of_word(element, other);
  }
  if (const std::string_view held = inside(wanted, "std::optional<"); !held.empty()) {
    if (held == found) return "; with '?' it may be absent, so take the std::optional";
    if (const std::string_view other = inside(found, "std::optional<"); !other.empty())
      return mend_of_word(held, other);
  }
  return {};
}

constexpr std::string_view mend_of_argument(std::string_view wanted, std::string_view found, bool has_schema) {
  const std::string_view type = bare(wanted);
  if (type != bare(found)) return has_schema ? mend_of_word(type, bare(found)) : std::string_view{};
  if (!wanted.ends_with('&')) return "; take it by value";
  if (wanted.starts_with("const ")) {
    return found.ends_with('&') && !found.ends_with("&&") ? "; add const, the operator does not write it"
                                                          : "; take it by const reference";
  }
  return found.starts_with("const ") ? "; remove const, the operator writes it"
                                     : "; take it by reference, the operator writes it";
}

constexpr std::string_view mend_of_result(std::string_view wanted, std::string_view found, bool has_schema) {
  const std::string_view type = bare(wanted), other = bare(found);
  if (type == other) {
    return wanted.ends_with('&') ? "; return the written argument itself, by reference" : "; return it by value";
  }
  if (type.starts_with("std::tuple<") && other.starts_with("std::pair<")) return "; several results are a std::tuple";
  if (type.starts_with("std::vector<") && other.starts_with("std::span<")) return "; a result owns its elements";
  if (type == "std::string" && (other == "std::string_view" || other == "char*")) return "; a result owns its text";
  return has_schema ? mend_of_word(type, other) : std::string_view{};
}

// -------------------------------------------------------------------------------------------------------- sentences

constexpr void begin_sentence(author::verdict& v, std::string_view kind, std::string_view op, std::string_view part) {
  v.add(kind).add(" for ").add(op);
  if (!part.empty()) v.add(", ").add(part);
}
constexpr void begin_sentence(author::verdict& v, const comparison& c) { begin_sentence(v, c.kind, c.op, c.part); }
constexpr void add_argument(author::verdict& v, const comparison& c, std::size_t i) {
  v.add("argument ").add(i + 1);
  if (i >= c.labels.size()) return;
  const auto& [name, role] = c.labels[i];
  if (!role.empty()) v.add(", ").add(role).add(name.empty() ? "" : " of");
  if (!name.empty()) v.add(" '").add(name).add("'");
}
constexpr void add_count(author::verdict& v, std::size_t n) { v.add(n).add(n == 1 ? " argument" : " arguments"); }

// A key set that stands where it does not belong. It comes first, by value, and only where there is one to take.
constexpr author::verdict explain_key_argument(const comparison& c) {
  author::verdict v;
  constexpr std::string_view keys = named<key_set>.raw;
  for (std::size_t i = 0; i < c.found.arguments.size(); ++i) {
    const named_type& type = c.found.arguments[i];
    if (bare(type.raw) != keys || (i < c.wanted.arguments.size() && bare(c.wanted.arguments[i].raw) == keys)) continue;
    begin_sentence(v, c);
    const std::size_t at = i + (c.keys_stripped ? 2 : 1);
    if (!c.may_take_keys)
      v.add(": takes a key set as argument ").add(at).add(", none is passed to it");
    else if (c.keys_stripped)
      v.add(": takes a second key set as argument ").add(at).add(", one comes first");
    else if (type.raw == keys)
      v.add(": takes the key set as argument ").add(at).add(", it comes first");
    else
      v.add(": takes the key set as '").add(type.people().view()).add("', it comes first and by value");
    break;
  }
  return v;
}

// The argument that one list has and the other lacks, where that is all.
constexpr std::size_t odd_one_out(std::span<const named_type> more, std::span<const named_type> fewer) {
  std::size_t at = 0;
  while (at < fewer.size() && more[at].raw == fewer[at].raw) ++at;
  if (more.size() != fewer.size() + 1) return more.size();
  for (std::size_t i = at; i < fewer.size(); ++i) {
    if (more[i + 1].raw != fewer[i].raw) return more.size();
  }
  return at;
}

constexpr author::verdict explain_arity(const comparison& c) {
  author::verdict v;
  const auto wanted = c.wanted.arguments, found = c.found.arguments;
  begin_sentence(v, c);
  v.add(": ").add(c.arity).add(" ");
  add_count(v, wanted.size());
  v.add(", the ").add(c.kind).add(" takes ").add(found.size());
  if (wanted.size() > found.size()) {
    if (const std::size_t at = odd_one_out(wanted, found); at < wanted.size()) {
      v.add("; it lacks ");
      add_argument(v, c, at);
    }
  } else if (const std::size_t at = odd_one_out(found, wanted); at < found.size()) {
    v.add("; its argument ").add(at + 1).add(", '").add(found[at].people().view()).add("', is one too many");
  }
  return v;
}

// The argument that has the type wanted here while this one has the type wanted there.
constexpr std::size_t exchanged_with(const comparison& c, std::size_t i) {
  const auto wanted = c.wanted.arguments, found = c.found.arguments;
  for (std::size_t j = i + 1; j < wanted.size(); ++j) {
    if (found[j].raw == wanted[i].raw && found[i].raw == wanted[j].raw) return j;
  }
  return i;
}

constexpr author::verdict explain_argument(const comparison& c, std::size_t i) {
  author::verdict v;
  const name_buffer wanted = c.wanted.arguments[i].people(), found = c.found.arguments[i].people();
  begin_sentence(v, c);
  v.add(", ");
  add_argument(v, c, i);
  v.add(": ").add(c.needs).add(" '").add(wanted.view()).add("', the ").add(c.kind).add(" takes '").add(found.view());
  v.add("'");
  const bool has_role = i < c.labels.size() && !c.labels[i].role.empty();  // then it comes from no word of the schema
  if (const std::size_t other = exchanged_with(c, i); other != i)
    v.add("; argument ").add(other + 1).add(" and this one are exchanged");
  else
    v.add(mend_of_argument(wanted.view(), found.view(), c.has_schema && !has_role));
  return v;
}

/// The first difference: a key set out of place, the number of arguments, one of them, the result.
constexpr author::verdict explain_difference(const comparison& c) {
  author::verdict v = explain_key_argument(c);
  if (!v.ok()) return v;
  const auto wanted = c.wanted.arguments, found = c.found.arguments;
  if (wanted.size() != found.size()) return explain_arity(c);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i].raw != found[i].raw) return explain_argument(c, i);
  }
  begin_sentence(v, c);
  if (c.wanted.result.raw == c.found.result.raw) {
    return v.add(": its types have the names of those that ").add(c.needs).add(", and are different types");
  }
  const name_buffer needs = c.wanted.result.people(), returns = c.found.result.people();
  const std::string_view needed = needs.view(), returned = returns.view();
  v.add(", result: ").add(c.needs).add(" '").add(needed).add("', the ").add(c.kind).add(" returns '").add(returned);
  const std::string_view mend = mend_of_result(needed, returned, c.has_schema);
  return v.add("'").add(mend.empty() ? c.result_mend : mend);
}

}  // namespace detail

}  // namespace topbit
