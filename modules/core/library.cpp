module topbit.core;

import topbit.std;

namespace topbit {

library_block::library_block(registry& r, std::string_view ns, kind k, std::optional<key_target> key,
                             std::source_location where)
    : registry_(&r), ns_(ns), kind_(k), key_(key) {
  bool identifier = !ns.empty() && !detail::is_digit(ns.front());
  for (char c : ns) identifier = identifier && (detail::is_letter(c) || detail::is_digit(c));
  if (!identifier) {
    throw bad_registration("namespace '" + ns_ + "' at " + detail::place(where.file_name(), where.line()) +
                           ": needs an identifier of letters, digits and '_'");
  }
  if (kind_ == kind::library) registrations_.push_back(registry_->claim(ns_, where));
}

void library_block::check_namespace(const detail::operator_info& op, std::source_location where) const {
  if (op.ns == ns_) return;
  throw bad_registration(std::string(op.name) + " at " + detail::place(where.file_name(), where.line()) +
                             ": belongs to the namespace '" + std::string(op.ns) + "', the block to '" + ns_ + "'",
                         std::string(op.name));
}

void library_block::define(const detail::operator_info& op, std::source_location where) {
  check_namespace(op, where);
  if (kind_ == kind::implement) {
    throw bad_registration(std::string(op.name) + " at " + detail::place(where.file_name(), where.line()) +
                               ": def() in an implement() block; define it in a library() or a fragment()",
                           std::string(op.name));
  }
  registrations_.push_back(registry_->define(op, where));
}

void library_block::add(const detail::operator_info& op, key_target key, const detail::kernel& k,
                        std::source_location where) {
  check_namespace(op, where);
  registrations_.push_back(registry_->implement(op, key, k, where));
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

namespace author {

void register_rows(std::span<const kernel_row> rows, registry& r) {
  std::vector<registration> done;  // given back if a later row is refused
  done.reserve(rows.size());
  for (const kernel_row& row : rows) {
    done.push_back(row.impl == nullptr ? r.define(*row.op, row.where)
                                       : r.implement(*row.op, row.key, *row.impl, row.where));
  }
  for (registration& each : done) each.keep();
}

}  // namespace author

}  // namespace topbit
