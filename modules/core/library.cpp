module topbit.core;

import topbit.std;

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

// Empty if the name was refused.
std::string library_block::qualified(std::string_view name, std::source_location where) const {
  const std::string text(name);
  std::vector<detail::item_code> items(detail::most_items(text));
  const detail::schema_head head = detail::schema_parser(text, items.data()).parse();
  if (head.column != 0 || head.has_signature) {
    detail::refuse(*registry_,
                   bad_registration("operator name '" + text + "' at " + detail::text_of(where) +
                                    (head.column == 0
                                         ? ": found a schema, wanted a name; the signature is the function's"
                                         : ", column " + std::to_string(head.column) + ": expected " + head.expected)));
    return {};
  }
  schema_view view = detail::view_from(text, head, {});
  if (view.ns.empty()) view.ns = ns_;
  const std::string full = qualified_name(view);
  return owns(full, view.ns, where) ? full : std::string();
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
  registrations_.push_back(registry_->define(op, where));
}

void library_block::add(const detail::operator_info& op, key_target key, const detail::kernel& k,
                        std::source_location where, bool replaces) {
  if (owns(op.name, op.ns, where)) registrations_.push_back(registry_->implement(op, key, k, where, replaces));
}

void library_block::add(const detail::operator_info& op, key_target key, detail::functor_ptr k,
                        std::source_location where) {
  if (owns(op.name, op.ns, where)) registrations_.push_back(registry_->implement(op, key, std::move(k), where));
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
  return r.fallback(key, detail::fallthrough_record, where);
}

namespace author {

void register_rows(std::span<const kernel_row> rows, registry& r) {
  const auto record = [&] {
    for (const kernel_row& row : rows) {
      if (row.impl == nullptr)
        r.define(*row.op, row.where).keep();
      else
        r.implement(*row.op, row.key, *row.impl, row.where).keep();
    }
  };
  if (detail::recording::of(r) != nullptr) return record();  // of a plugin that is being loaded: a part of its whole
  detail::recording held_back(r);
  record();
  held_back.close();
  if (!held_back.errors().empty()) throw held_back.errors().front();
  detail::commit(r, held_back.requests());
}

}  // namespace author

}  // namespace topbit
