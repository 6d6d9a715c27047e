// The layout of an operator's entry, for tests that inspect or corrupt its slots: mask, keys included in every call,
// boxed entry point, slots.
#pragma once

#include <atomic>
#include <cstdint>

import topbit.core;

struct raw_entry {
  std::atomic<std::uint64_t> mask, always;
  const void* call_boxed;
  std::atomic<const void*> rows[topbit::author::row_count];

  static raw_entry& of(const topbit::operator_handle& op) {
    return *static_cast<raw_entry*>(const_cast<void*>(op.id()));
  }
};
