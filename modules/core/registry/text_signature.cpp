module topbit.core;

import topbit.std;
import :registry.recording;

namespace topbit::detail {

namespace {

struct known_types {
  std::mutex mutex;
  std::vector<const text_type*> types;
  std::vector<std::unique_ptr<text_signature>> signatures;

  known_types() {
    add(text_types<"int">);
    add(text_types<"SymInt">);
    add(text_types<"float">);
    add(text_types<"complex">);
    add(text_types<"bool">);
    add(text_types<"SymBool">);
    add(text_types<"DeviceIndex">);
    add(text_types<"str">);
  }
  void add(std::span<const text_type> some) {
    for (const text_type& t : some) {
      if (t.key.core[0] != 0) types.push_back(&t);
    }
  }
  const text_type* find(const type_key& key) const noexcept {
    const auto at = std::ranges::find(types, key, &text_type::key);
    return at == types.end() ? nullptr : *at;
  }
};
// Never destroyed, like the process registry.
known_types& known() {
  static known_types& all = *new known_types;
  return all;
}

// Boxed entry points of the kernels that an entry generates, driven by the slot lists of the signature.

const text_signature& signature_of(const operator_handle& op) noexcept {
  return *entry_of(handle_access::entry(op)).made_from;
}

void adapt_from_text(const kernel* k, const operator_handle& op, key_set keys, boxed_stack& s) {
  const auto* target = static_cast<const kernel*>(k->state);
  const boxed_target called{op, target};
  const std::size_t below = s.size() - arguments_on(s, op).size();
  target->boxed(target, op, keys, s);
  const std::span<const slot_info> wanted = signature_of(op).result_list;
  if (s.size() != below + wanted.size()) {
    raise_result_count(called, wanted.size(), static_cast<std::ptrdiff_t>(s.size() - below));
  }
  const std::span<value> found = s.top(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool fits = (wanted[i].optional && found[i].is_none()) || value_word::is(found[i], *wanted[i].type);
    if (!fits) raise_bad_result(called, i, wanted[i].type->name(), found[i].type_name());
    if (!wanted[i].written && found[i].is_reference()) found[i].make_owned();
  }
}

void select_from_text(const kernel*, const operator_handle& op, key_set keys, boxed_stack& s) {
  key_set chosen = keys - key_set(key::BackendSelect);
  const std::span<value> arguments = arguments_on(s, op);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (const auto read = signature_of(op).backend_keys[i]) chosen = chosen | read(arguments[i]);
  }
  op.redispatch_boxed(chosen, s);
}

// Same size as the records of a typed signature, whose entry point is copied in when it becomes known: see
// entry::adopt().
kernel* make_from_text(kernel_kind kind) {
  auto* r = new typed_kernel<void()>{{.kind = kind}, nullptr};
  if (kind == kernel_kind::adapter) r->boxed = &adapt_from_text;
  if (kind == kernel_kind::backend_select) r->boxed = &select_from_text;
  return r;
}

// "R" as the compiler spells it; then "R (A, B)".
std::string raw_result_name(const text_signature& s) {
  std::string name;
  for (const named_type& r : s.result_names) (name += name.empty() ? "" : ", ") += r.raw;
  if (s.results == 0) name = "void";
  return s.results > 1 ? "std::tuple<" + name + ">" : name;
}
std::string raw_function_name(const text_signature& s) {
  std::string name = raw_result_name(s);
  name += name.ends_with('&') ? "(" : " (";
  for (std::size_t i = 0; i < s.arguments; ++i) (name += i == 0 ? "" : ", ") += s.argument_names[i].raw;
  return name + ")";
}

[[noreturn]] void refuse(std::string_view schema, std::size_t column, const std::string& why) {
  throw bad_schema("schema '" + std::string(schema) + "', column " + std::to_string(column) + ": " + why, column);
}

}  // namespace

std::mutex& mutex_of_text_types() noexcept { return known().mutex; }

void register_text_types(std::span<const text_type> types, std::source_location where) {
  known_types& all = known();
  for (const text_type& t : types) pin_image_of(&t), pin_image_of(t.argument.type), pin_image_of(t.result.type);
  const std::lock_guard lock(all.mutex);
  for (const text_type& t : types) {
    const text_type* there = t.key.core[0] == 0 ? nullptr : all.find(t.key);
    if (there == nullptr || there->argument_name.raw == t.argument_name.raw) continue;
    const std::string_view core(t.key.core, sizeof t.key.core);
    throw bad_registration("schema type '" + std::string(core.substr(0, core.find('\0'))) + "' at " + text_of(where) +
                           " is '" + std::string(name_for_people(t.argument_name.raw)) + "', and was registered as '" +
                           std::string(name_for_people(there->argument_name.raw)) + "'; give one of them another word");
  }
  if (all.find(types.front().key) == nullptr) all.add(types);
}

const text_signature* as_text_signature(const signature_info* s) noexcept {
  return s->make == &make_from_text ? static_cast<const text_signature*>(s) : nullptr;
}

const text_signature& signature_of_text(std::string_view schema, const schema_head& head,
                                        std::span<const item_code> items) {
  if (head.variadic_arguments || head.variadic_returns) {
    refuse(schema, schema.find("...") + 1, "found '...', wanted a fixed number of arguments and results");
  }
  auto made = std::make_unique<text_signature>();
  text_signature& s = *made;
  s.arguments = head.arguments;
  s.results = head.returns;
  bool selects = false, placed = false;
  known_types& all = known();
  const std::lock_guard lock(all.mutex);
  for (std::size_t i = 0; i < s.arguments + s.results; ++i) {
    const text_type* t = items[i].key.core[0] == 0 ? nullptr : all.find(items[i].key);
    if (t == nullptr) {
      const std::string word(part(schema, items[i].type));
      refuse(schema, std::size_t{items[i].type.begin} + 1,
             items[i].key.core[0] == 0
                 ? "'" + word + "' has no C++ type"
                 : "'" + word +
                       "' is not a type that a schema text can name; import topbit.ops for its types, or "
                       "call topbit::author::register_schema_types<\"" +
                       word + "\">()");
    }
    if (i < s.arguments) {
      s.argument_list.push_back(t->argument);
      s.argument_names.push_back(t->argument_name);
      s.backend_keys.push_back(t->backend_keys);
      placed |= t->selects_device;
      selects |= t->backend_keys != nullptr;
    } else {
      s.result_list.push_back(t->result);
      s.result_names.push_back(t->result_name);
      s.result_aliases |= t->result.written;
    }
  }
  s.raw_name = raw_function_name(s);
  s.identity = s.raw_name;
  for (const auto& there : all.signatures) {
    if (there->identity == s.identity) return *there;
  }
  s.is_local = is_local_name(s.identity);
  s.selects_backend = selects && !placed;
  s.call_boxed = &call_with_values;
  s.make = &make_from_text;
  s.built_with = &image_note<0>::value;
  s.argument_slots = s.argument_list;
  const std::string_view result = s.identity.substr(0, raw_result_name(s).size());
  s.types = {s.results == 1 ? s.result_names.front() : named_type{result, {{}, result, {}}, false}, s.argument_names,
             s.result_names};
  return *all.signatures.emplace_back(std::move(made));
}

}  // namespace topbit::detail
