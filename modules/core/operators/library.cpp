module topbit.core;

import topbit.std;
import :inspect.snapshot;
import :registry.recording;

namespace topbit {

library_block::library_block(registry& r, std::string_view ns, kind k, std::optional<key_target> key,
                             std::source_location where)
    : registry_(&r), ns_(ns), kind_(k), key_(key) {
  if (!detail::is_identifier(ns)) {
    detail::refuse(*registry_, bad_registration("namespace '" + ns_ + "' at " + detail::text_of(where) +
                                                ": needs an identifier of letters, digits and '_'"));
  } else if (kind_ == kind::library) {
    registrations_.push_back(registry_->claim(ns_, where));
  }
}

bool library_block::owns(std::string_view name, std::string_view ns, std::source_location where) const {
  if (ns == ns_) return true;
  const std::string op(name);
  detail::refuse(*registry_, bad_registration(op + " at " + detail::text_of(where) + ": belongs to the namespace '" +
                                                  std::string(ns) + "', the block to '" + ns_ + "'",
                                              op));
  return false;
}

bool library_block::takes(std::string_view op, key_target key, std::source_location where) const {
  if (!key_ || detail::as_registered(*key_) == detail::as_registered(key)) return true;
  if (!key.is_alias() && detail::lacks_backend(key.row)) return true;  // the registry refuses it
  const std::string name(op);
  detail::refuse(*registry_, bad_registration(name + " at " + detail::text_of(where) + ": the block is for " +
                                                  to_string(*key_) + ", found a kernel for " + to_string(key) +
                                                  "; leave the key out, or take a block without a key",
                                              name));
  return false;
}

namespace {

// The parse result of a text that is a name or a schema.
struct parsed_text {
  explicit parsed_text(std::string_view given)
      : text(given),
        items(text.size() <= author::max_schema_text ? detail::most_items(text) : 0),
        head(detail::schema_parser(text, items.data()).parse()) {}
  std::string mistake() const { return ", column " + std::to_string(head.column) + ": expected " + head.expected; }
  author::schema_view name(std::string_view default_ns) const {
    detail::schema_head no_items = head;
    no_items.arguments = no_items.returns = 0;
    author::schema_view view = detail::view_from(text, no_items, {});
    if (view.ns.empty()) view.ns = default_ns;
    return view;
  }
  std::string text;
  std::vector<detail::item_code> items;
  detail::schema_head head;
};

}  // namespace

// Returns an empty string if the name was refused.
std::string library_block::qualified(std::string_view name, std::source_location where) const {
  const parsed_text given(name);
  if (given.head.column != 0 || given.head.has_signature) {
    detail::refuse(
        *registry_,
        bad_registration("operator name '" + given.text + "' at " + detail::text_of(where) +
                         (given.head.column == 0 ? ": found a schema, wanted a name; the signature is the function's"
                                                 : given.mistake())));
    return {};
  }
  const author::schema_view view = given.name(ns_);
  const std::string full = author::qualified_name(view);
  return owns(full, view.ns, where) ? full : std::string();
}

library_block::text_operator library_block::from_schema(std::string_view text, std::source_location where) const {
  const parsed_text given(text);
  const auto refuse = [&](const std::string& why) {
    detail::refuse(*registry_, bad_registration("schema '" + given.text + "' at " + detail::text_of(where) + why));
    return text_operator();
  };
  if (given.head.column != 0) return refuse(given.mistake());
  if (!given.head.has_signature) {
    return refuse(": found a name, wanted a schema; def<&kernel>(name) takes the signature from a function");
  }
  const author::schema_view view = given.name(ns_);
  text_operator op{.name = author::qualified_name(view), .schema = given.text, .signature = {}};
  if (!owns(op.name, view.ns, where)) return {};
  if (given.head.ns.size == 0) op.schema.insert(given.head.name.begin, ns_ + "::");
  try {
    op.signature = &detail::signature_of_text(given.text, given.head, given.items);
  } catch (const bad_schema& e) {
    detail::refuse(*registry_, bad_registration(op.name + " at " + detail::text_of(where) + ": " + e.what(), op.name));
  }
  return op;
}

library_block::text_operator library_block::from_name_or_schema(std::string_view text, std::source_location where,
                                                                std::string_view why) const {
  if (text.find('(') != text.npos) return from_schema(text, where);
  text_operator op;
  op.name = qualified(text, where);
  if (op.name.empty()) return op;
  const detail::entry* e = detail::recording::op_of_name(*registry_, op.name);
  if (e == nullptr) {
    const auto found = registry_->find_implemented(op.name);
    if (found) e = &detail::entry_of(detail::handle_access::entry(*found));
  }
  if (e != nullptr) {
    op.signature = e->signature.get();
  } else {
    detail::refuse(*registry_, bad_registration(op.name + " at " + detail::text_of(where) + ": " + std::string(why) +
                                                    " no signature, and no operator of this name is "
                                                    "defined or implemented; define it first, or give its schema",
                                                op.name));
  }
  return op;
}

void library_block::define(const detail::operator_info& op, std::source_location where) {
  if (!owns(op.name, op.ns, where)) return;
  if (kind_ == kind::implement) {
    const std::string name(op.name);
    return detail::refuse(
        *registry_, bad_registration(name + " at " + detail::text_of(where) +
                                         ": def() in an implement() block; define it in a library() or a fragment()",
                                     name));
  }
  registrations_.push_back(detail::registrar::define(*registry_, op, where));
}

void library_block::add(const detail::operator_info& op, tag_set tags, std::source_location where) {
  if (owns(op.name, op.ns, where)) registrations_.push_back(detail::registrar::tag(*registry_, op, tags, where));
}

void library_block::add(std::string_view name, tag_set tags, std::source_location where) {
  const text_operator op = from_name_or_schema(name, where, "a name brings");
  if (op.signature != nullptr) add(op.info(ns_), tags, where);
}

void library_block::add(const detail::operator_info& op, key_target key, const detail::kernel& k,
                        std::source_location where, bool replaces) {
  if (owns(op.name, op.ns, where) && takes(op.name, key, where))
    registrations_.push_back(detail::registrar::implement(*registry_, op, key, k, where, replaces));
}

void library_block::add(const detail::operator_info& op, key_target key, detail::functor_ptr k,
                        std::source_location where) {
  if (owns(op.name, op.ns, where) && takes(op.name, key, where))
    registrations_.push_back(detail::registrar::implement(*registry_, op, key, std::move(k), where));
}

void library_block::define(std::string_view name, const detail::named_kernel& k, std::source_location where) {
  const std::string full = qualified(name, where);
  if (full.empty()) return;
  define({full, ns_, {}, k.signature}, where);
  add(name, default_key(), k, where);
}

void library_block::add(std::string_view name, key_target key, const detail::named_kernel& k,
                        std::source_location where) {
  if (const std::string full = qualified(name, where); !full.empty()) {
    add({full, ns_, {}, k.signature}, key, *k.impl, where);
  }
}

library_block& library_block::def(std::string_view schema, std::source_location where) & {
  if (const text_operator op = from_schema(schema, where); op.signature != nullptr) define(op.info(ns_), where);
  return *this;
}

void library_block::define(std::string_view schema, detail::functor_ptr k, std::source_location where) {
  const text_operator op = from_schema(schema, where);
  if (op.signature == nullptr) return;
  define(op.info(ns_), where);
  add(op.info(ns_), default_key(), std::move(k), where);
}

void library_block::add(std::string_view name, key_target key, detail::functor_ptr k, std::source_location where) {
  const text_operator op = from_name_or_schema(name, where);
  if (op.signature != nullptr) add(op.info(ns_), key, std::move(k), where);
}

void library_block::add(const detail::operator_info& op, key_target key, const detail::function_address& f,
                        std::source_location where) {
  if (f.function == nullptr) {
    const std::string name(op.name);
    return detail::refuse(*registry_,
                          bad_registration(name + " at " + detail::text_of(where) + ": found a null pointer for " +
                                               to_string(key) + ", wanted one to a kernel",
                                           name));
  }
  add(op, key, detail::kernel_of(f), where);
}

void library_block::add(std::string_view name, key_target key, const detail::function_address& f,
                        std::source_location where) {
  if (const std::string full = qualified(name, where); !full.empty()) add({full, ns_, {}, f.signature}, key, f, where);
}

void library_block::reset() noexcept { registrations_.clear(); }

void library_block::keep() noexcept {
  for (registration& r : registrations_) r.keep();
  registrations_.clear();
}

library_block library(std::string_view ns, registry& r, std::source_location where) {
  return {r, ns, library_block::kind::library, std::nullopt, where};
}
library_block fragment(std::string_view ns, registry& r, std::source_location where) {
  return {r, ns, library_block::kind::fragment, std::nullopt, where};
}
library_block implement(std::string_view ns, std::optional<key_target> key, registry& r, std::source_location where) {
  return {r, ns, library_block::kind::implement, key, where};
}

registration fallthrough(key_target key, registry& r, std::source_location where) {
  return detail::registrar::fallback(r, key, detail::fallthrough_record, where);
}

namespace author {

void register_rows(std::span<const kernel_row> rows, registry& r) {
  const auto record = [&] {
    for (const kernel_row& row : rows) {
      if (row.tags.has_value())
        detail::registrar::tag(r, *row.op, *row.tags, row.where).keep();
      else if (row.impl == nullptr)
        detail::registrar::define(r, *row.op, row.where).keep();
      else
        detail::registrar::implement(r, *row.op, row.key, *row.impl, row.where).keep();
    }
  };
  if (detail::recording::of(r) != nullptr) return record();  // a plugin is being loaded: part of its batch
  detail::recording held_back(r);
  record();
  held_back.close();
  if (!held_back.errors().empty()) throw held_back.errors().front();
  detail::commit(r, held_back.requests());
}

}  // namespace author

}  // namespace topbit
