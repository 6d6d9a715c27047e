module topbit.core;

import topbit.std;
import :registry.recording;

namespace topbit::static_dispatch {

installation::installation(std::span<const author::kernel_row> rows, registry& r, std::source_location where) {
  const auto record = [&] {
    registrations_.reserve(rows.size());
    for (const author::kernel_row& row : rows) {
      const std::source_location place = row.where.line() == 0 ? where : row.where;
      registrations_.push_back(row.impl == nullptr
                                   ? detail::registrar::define(r, *row.op, place)
                                   : detail::registrar::implement(r, *row.op, row.key, *row.impl, place));
    }
  };
  if (detail::recording::of(r) != nullptr) {  // a plugin is being loaded: part of its batch
    record();
    return;
  }
  detail::recording held_back(r);
  record();
  held_back.close();
  if (!held_back.errors().empty()) throw held_back.errors().front();
  detail::commit(r, held_back.requests());
}

void installation::reset() noexcept { registrations_.clear(); }

void installation::keep() noexcept {
  for (registration& r : registrations_) r.keep();
  registrations_.clear();
}

}  // namespace topbit::static_dispatch
