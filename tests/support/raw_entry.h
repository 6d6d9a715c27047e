// An operator's entry as calls read it, for tests that look at its rows or damage them: mask and word of keys that
// every call has, the boxed entry point, then the rows.
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
