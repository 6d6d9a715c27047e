// The message of a call that found no kernel: what was looked up, what is registered, how to fix it.
module;

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/join.hpp>
#include <range/v3/view/transform.hpp>

module topbit.core;

import topbit.std;
import :registry.registry_state;

namespace topbit::detail {

namespace views = ranges::views;

std::string registry_state::nearest(std::string_view name) const {
  nearest_name near(name);
  const bool with_overload = name.find('.') != name.npos;
  // A name without an overload may mean any overload, but the operator without an overload name is preferred.
  for (const bool overloads : {false, true}) {
    for (const auto& e : entries) {
      const std::string_view whole = e->name, base = whole.substr(0, whole.find('.'));
      if (e->definitions.empty() || (base != whole) != overloads) continue;
      near.consider(whole, with_overload ? whole : base);
    }
  }
  return near.best();
}

std::string kernels_text(const entry& e) {
  const std::span<const live_registration> all = e.registrations;
  const auto computes = [&](const live_registration& r) {
    const auto later = all.subspan(static_cast<std::size_t>(&r - all.data()) + 1);
    return r.impl->kind != kernel_kind::fallthrough &&
           std::ranges::find(later, r.target, &live_registration::target) == later.end();
  };
  const auto with_place = [](const live_registration& r) { return to_string(r.target) + " (" + r.place() + ")"; };
  const std::string text = all | views::filter(computes) | views::transform(with_place) |
                           views::join(std::string(", ")) | ranges::to<std::string>();
  return text.empty() ? "there is no kernel for any key" : "there are kernels for " + text;
}

namespace {

std::string undefined_text(const entry& e) {
  const registry_state& r = *e.home;
  std::string text = std::string(e.name) + ": ";
  for (const entry* other = e.first_of_name; other != nullptr; other = other->next_of_name) {
    if (other->definitions.empty()) continue;
    const live_definition& d = other->definitions.front();
    return text + "is defined at " + d.where.text() + " with the signature '" + std::string(other->signature->name()) +
           "', this handle has '" + std::string(e.signature->name()) + "'";
  }
  if (e.was_defined) return text + "was withdrawn: its library is gone or was reset";
  if (!e.registrations.empty()) {
    return text + "implemented at " + e.registrations.back().place() +
           ", never defined: was the object that defines it linked?";
  }
  text += "declared, never registered: was its object linked?";
  if (const std::string near = r.nearest(e.name); !near.empty()) text += " The nearest registered name is " + near;
  return text;
}

// "argument 1 'self' is undefined, " for arguments that could have contributed keys but did not. Optional arguments are
// ignored; lists are reported only if no other argument is undefined.
std::string undefined_arguments(const entry& e, std::span<const key_set> arguments) {
  const std::span<const slot_info> slots = e.signature->argument_slots;
  for (const bool in_lists : {false, true}) {
    std::string text;
    std::size_t found = 0;
    for (std::size_t i = 0; i < std::min(arguments.size(), slots.size()); ++i) {
      const bool brings = in_lists ? slots[i].type->keys != nullptr && !slots[i].optional : slots[i].keyed;
      if (!brings || !arguments[i].empty()) continue;
      text += (found++ == 0 ? "" : " and ") + e.argument_label(i);
    }
    if (found == 0) continue;
    if (in_lists) return text + (found == 1 ? " has" : " have") + " no defined element, ";
    return text + (found == 1 ? " is" : " are") + " undefined, ";
  }
  return {};
}

std::string missing_text(const entry& e, key_set keys, std::span<const key_set> arguments) {
  const std::string name(e.name);
  const live_kernels live(e);
  const dispatch_key selected = author::key_of_row(keys.row());
  if (choose_for_slot(live, keys.row(), [](auto&&...) {}).why == inspect::row_reason::ambiguous) {
    return name + ": ambiguous at AutogradOther: a composite kernel and a kernel of a backend that shares this " +
           "slot are both registered; register one for AutogradOther, or call below autograd; " + kernels_text(e);
  }
  if (selected == key::Undefined) {
    key_set brought;
    for (key_set each : arguments) brought = brought | each;
    if (brought.begin() == brought.end()) {
      const std::string undefined = undefined_arguments(e, arguments);
      return name + ": " + undefined + (undefined.empty() ? "no" : "no other") +
             " argument brought a key, and there is no catch-all kernel; " + kernels_text(e);
    }
    return name + ": every key its arguments brought, " + to_string(brought) +
           ", is passed through, excluded or left out, and there is no catch-all kernel; " + kernels_text(e);
  }
  if (lacks_backend(selected)) {
    return name + ": the key set has " + std::string(name_of(selected.layer)) + " without a backend";
  }
  std::string text = name + ": no kernel for " + to_string(selected);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].contains(selected)) continue;
    text += ", which " + e.argument_label(i) + " brought";
    break;
  }
  if (current_thread_keys().include.has(selected.layer)) text += ", which this thread includes";
  return text + "; " + kernels_text(e);
}

}  // namespace

// Callers read masks and slots at different times, so a call may have read an outdated slot, or a key that has just
// been removed from the keys included in every call. Under the lock these cases are told apart from a missing kernel.
key_set reselect_or_raise(const entry_head& head, key_set keys, std::span<const key_set> arguments) {
  const entry& e = entry_of(head);
  {
    const std::lock_guard lock(e.home->mutex);
    if (e.definitions.empty()) throw no_kernel(undefined_text(e), std::string(e.name), keys);
    const key_set left = keys & key_set::from_raw(e.mask.load(std::memory_order_relaxed));
    if (!e.raises(left.row())) return left;
    const functionality layer = left.highest_functionality();
    const registry_state& r = *e.home;
    bool brought = current_thread_keys().include.has(layer) || r.always_included.has(layer);
    for (key_set each : arguments) brought |= each.has(layer);
    if (!brought && r.ever_included.has(layer)) return left - key_set(building_block{layer});
  }
  // If slots do not match the registrations, every other message would be misleading.
  const std::vector<std::string> wrong = verify(handle_access::of(const_cast<entry_head&>(head)));
  if (!wrong.empty()) throw error(wrong.front(), std::string(e.name));
  const std::lock_guard lock(e.home->mutex);
  throw no_kernel(missing_text(e, keys, arguments), std::string(e.name), keys);
}

const kernel* kernel_at(const entry_head& head, dispatch_key k) {
  const entry& e = entry_of(head);
  const std::lock_guard lock(e.home->mutex);
  const std::string name(e.name);
  if (e.definitions.empty()) throw no_kernel(undefined_text(e), name, k);
  const live_kernels live(e);
  const unsigned slot = slot_index(k);
  const live_registration* found = slot == 0 ? nullptr : live.direct(slot);
  if (found == nullptr && slot != 0) found = live.fallback(slot);
  if (found != nullptr && found->impl->kind != kernel_kind::fallthrough) return e.front_of(*found->impl);
  throw no_kernel(
      name +
          (found == nullptr ? ": no kernel and no fallback is registered for " + to_string(k) + " itself"
                            : ": " + to_string(k) + " is passed through, as registered at " + found->place()) +
          "; " + kernels_text(e),
      name, k);
}

}  // namespace topbit::detail
