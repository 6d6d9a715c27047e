// A model of key_set as two std::set with loops, compared with the 64-bit word. A model can be made wrong in one way to
// show that a test detects the fault. Include this after every other header: it imports.
#pragma once

#include <set>
#include <vector>

import topbit.core;

namespace oracle {

enum class key_set_fault {
  none,
  difference_takes_backends,
  lowest_backend_wins,
  iterates_bare_blocks,
  row_ignores_backend
};

struct naive_key_set {
  std::set<topbit::functionality> layers;
  std::set<topbit::backend> backends;
  friend bool operator==(const naive_key_set&, const naive_key_set&) = default;

  void add(topbit::dispatch_key k) {
    if (k.layer != topbit::functionality::undefined) layers.insert(k.layer);
    if (k.device != topbit::backend::none) backends.insert(k.device);
  }
  void merge(const naive_key_set& other) {
    layers.insert(other.layers.begin(), other.layers.end());
    backends.insert(other.backends.begin(), other.backends.end());
  }
  void keep(const naive_key_set& other) {
    std::erase_if(layers, [&](auto f) { return !other.layers.contains(f); });
    std::erase_if(backends, [&](auto b) { return !other.backends.contains(b); });
  }
  void flip(const naive_key_set& other) {
    for (auto f : other.layers) {
      if (!layers.insert(f).second) layers.erase(f);
    }
    for (auto b : other.backends) {
      if (!backends.insert(b).second) backends.erase(b);
    }
  }
  void take_away(const naive_key_set& other, key_set_fault wrong) {
    for (auto f : other.layers) layers.erase(f);
    if (wrong != key_set_fault::difference_takes_backends) return;
    for (auto b : other.backends) backends.erase(b);
  }

  topbit::dispatch_key highest(key_set_fault wrong) const {
    if (layers.empty()) return {};
    const topbit::functionality f = *layers.rbegin();
    if (!topbit::author::per_backend(f) || backends.empty()) return {f};
    return {f, wrong == key_set_fault::lowest_backend_wins ? *backends.begin() : *backends.rbegin()};
  }
  std::vector<topbit::dispatch_key> keys(key_set_fault wrong) const {
    std::vector<topbit::dispatch_key> all;
    for (auto f : layers) {
      if (!topbit::author::per_backend(f))
        all.push_back({f});
      else if (backends.empty() && wrong == key_set_fault::iterates_bare_blocks)
        all.push_back({f});
      else
        for (auto b : backends) all.push_back({f, b});
    }
    return all;
  }
  // Counts the slots below the highest key; a per-backend functionality has one more, for a set without backends.
  unsigned row(key_set_fault wrong) const {
    const topbit::dispatch_key k = highest(key_set_fault::none);
    unsigned rows = 0;
    for (unsigned f = 0; f < static_cast<unsigned>(k.layer); ++f) {
      rows +=
          topbit::author::per_backend(static_cast<topbit::functionality>(f)) ? topbit::author::backend_count + 1 : 1;
    }
    return wrong == key_set_fault::row_ignores_backend ? rows : rows + static_cast<unsigned>(k.device);
  }
};

}  // namespace oracle
