module;

#include <stddef.h>

#include "kernel_abi.h"

module topbit.backend;

import topbit.std;
import topbit.core;
import topbit.tensor;
import topbit.ops;
import :boxed_fallback;
import :bridge;
import :report;

namespace topbit::author {

namespace {

using detail::private_backend, detail::private_backends;

// Private backends that have a device. They keep it: tensors may outlive a plugin that brought the device.
constinit std::array<bool, private_backends> taken{};

void check(std::string_view name, const backend_description& d) {
  const auto refuse = [&](std::string_view what, std::string_view found) {
    throw bad_registration("register_backend '" + std::string(name) + "': found " + std::string(found) + " for " +
                           std::string(what) + ", wanted a function");
  };
  if (d.memory.allocate == nullptr) refuse("memory.allocate", "null");
  if (d.memory.release == nullptr) refuse("memory.release", "null");
  if (d.memory.copy_in == nullptr) refuse("memory.copy_in", "null");
  if (d.memory.copy_out == nullptr) refuse("memory.copy_out", "null");
  const tb_kernels* const k = d.kernels;
  constexpr std::size_t least = offsetof(tb_kernels, context) + sizeof k->context;
  if (k == nullptr || (k->version == TB_ABI_VERSION && k->size >= least)) return;
  throw bad_registration("register_backend '" + std::string(name) + "': found a kernel table of ABI version " +
                         std::to_string(k->version) + " and " + std::to_string(k->size) + " bytes, wanted version " +
                         std::to_string(TB_ABI_VERSION) + " and at least " + std::to_string(least) +
                         " bytes; rebuild it with this <topbit/kernel_abi.h>");
}

// The first private backend without a name and without a kernel.
std::size_t free_slot(std::string_view name) {
  const inspect::registry_dump all = dump();
  const auto has_kernels = [&](backend b) {
    const auto is_its = [&](const inspect::kernel_dump& k) { return k.key == key_target(key_of(b)); };
    return std::ranges::any_of(all.operators, [&](const auto& o) { return std::ranges::any_of(o.kernels, is_its); });
  };
  std::string names;
  for (std::size_t slot = 0; slot < private_backends; ++slot) {
    const backend b = private_backend(slot);
    const auto has_this = [&](const inspect::backend_name_dump& n) { return n.which == b; };
    if (!taken[slot] && !std::ranges::any_of(all.backend_names, has_this) && !has_kernels(b)) return slot;
    if (slot != 0) names += ", ";
    names += name_of(b);
  }
  throw bad_registration("register_backend '" + std::string(name) + "': found all eight private backends taken (" +
                         names + "), wanted a free one");
}

// Throws; then nothing is registered.
backend register_device(std::string_view name, const backend_description& description, std::source_location where) {
  check(name, description);
  static std::mutex& one_at_a_time = author::hold_at_fork(*new std::mutex, author::fork_order::registering);
  const std::lock_guard lock(one_at_a_time);
  const std::size_t slot = free_slot(name);
  const backend b = private_backend(slot);
  // Throws if the name cannot be given. It is given last, so that who finds the device can use it.
  {
    const registration possible = name_backend(b, name, where);
  }
  set_device_hook(b, description.device);
  taken[slot] = true;
  set_memory_hook(b, description.memory);
  detail::admit(b);
  register_strided_backend(detail::complete_table(b, name, description.kernels, where), key_of(b), where);
  static std::vector<registration>& kept = *new std::vector<registration>;  // for the life of the process
  if (description.boxed_fallback) kept.push_back(detail::register_boxed_fallback(key_of(b), where));
  kept.push_back(name_backend(b, name, where));
  return b;
}

}  // namespace

backend register_backend(std::string_view name, const backend_description& description, std::source_location where) {
  try {
    return register_device(name, description, where);
  } catch (const bad_registration& e) {
    refuse_registration(e);
  } catch (const bad_argument& e) {
    refuse_registration(bad_registration("register_backend '" + std::string(name) + "': " + e.what()));
  }
  return backend::none;
}

}  // namespace topbit::author
