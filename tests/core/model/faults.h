// The ways in which the model can be told to be wrong, one at a time. Each is a fault that a dispatcher could have, so
// a walk that does not notice one would not notice it in the dispatcher either.
#pragma once

#include <array>
#include <string_view>

// After the standard headers: it needs the names of an import.
#include "oracle/key_set.h"
#include "oracle/table.h"

namespace model {

enum class fault {
  none,
  oldest_wins,
  stale_rows,
  stale_after_withdrawal,
  one_row_clears_layer,
  redispatch_ignores_mask,
  inclusion_beats_exclusion,
  exclusion_takes_backends,
  guard_leaks_backends,
  fallback_stays,
  refused_fallback_leaves_rows,
  first_withdrawal_undefines,
  device_not_asked,
  autocast_on_at_first
};

struct named_fault {
  std::string_view name;
  oracle::table_fault table = oracle::table_fault::none;
  fault registry = fault::none;
  std::string_view says;
};

inline constexpr std::array all_faults{
    named_fault{"explicit_before_nonfunctional", oracle::table_fault::explicit_before_nonfunctional, fault::none,
                "CompositeExplicitAutograd goes before its NonFunctional form"},
    named_fault{"composite_shadows", oracle::table_fault::composite_shadows, fault::none,
                "the implicit composite shadows the kernels of backends"},
    named_fault{"never_ambiguous", oracle::table_fault::never_ambiguous, fault::none,
                "AutogradOther is never ambiguous"},
    named_fault{"fallback_first", oracle::table_fault::fallback_first, fault::none,
                "a fallback goes before the kernel of its key"},
    named_fault{"fallback_before_alias", oracle::table_fault::fallback_before_alias, fault::none,
                "a fallback goes before the kernels of aliases"},
    named_fault{"autograd_before_composite", oracle::table_fault::autograd_before_composite, fault::none,
                "Autograd goes before the implicit composite"},
    named_fault{"nested_after_composite", oracle::table_fault::nested_after_composite, fault::none,
                "the nested composite goes after the implicit one"},
    named_fault{"nobody_passes", oracle::table_fault::nobody_passes, fault::none,
                "calls do not pass through keys that nobody handles"},
    named_fault{"sparse_counts", oracle::table_fault::sparse_counts, fault::none,
                "a sparse kernel keeps the composite from its backend's autograd key"},
    named_fault{"autocast_serves_nobody", oracle::table_fault::autocast_serves_nobody, fault::none,
                "a kernel for the alias Autocast stands in no slot"},
    named_fault{"batched_after_composite", oracle::table_fault::batched_after_composite, fault::none,
                "the batched decomposition goes after the implicit composite"},
    named_fault{"explicit_before_layout", oracle::table_fault::explicit_before_layout, fault::none,
                "CompositeExplicitAutograd goes before the kernels of layouts"},
    named_fault{"layout_does_not_count", oracle::table_fault::layout_does_not_count, fault::none,
                "a kernel for AnySparse does not make AutogradOther ambiguous"},
    named_fault{"oldest_wins", oracle::table_fault::none, fault::oldest_wins,
                "of several kernels for one key the oldest is active"},
    named_fault{"stale_rows", oracle::table_fault::none, fault::stale_rows,
                "a change recomputes only the slots its key stands for"},
    named_fault{"stale_after_withdrawal", oracle::table_fault::none, fault::stale_after_withdrawal,
                "a withdrawal recomputes only the slots its key stands for"},
    named_fault{"one_row_clears_layer", oracle::table_fault::none, fault::one_row_clears_layer,
                "a functionality is masked when one of its slots falls through"},
    named_fault{"redispatch_ignores_mask", oracle::table_fault::none, fault::redispatch_ignores_mask,
                "a redispatch lands on a fallthrough"},
    named_fault{"inclusion_beats_exclusion", oracle::table_fault::none, fault::inclusion_beats_exclusion,
                "what a thread includes cannot be excluded"},
    named_fault{"exclusion_takes_backends", oracle::table_fault::none, fault::exclusion_takes_backends,
                "an exclude guard takes backends away"},
    named_fault{"guard_leaks_backends", oracle::table_fault::none, fault::guard_leaks_backends,
                "the end of an include guard leaves its backends included"},
    named_fault{"fallback_stays", oracle::table_fault::none, fault::fallback_stays,
                "a fallback that was withdrawn stays in the tables"},
    named_fault{"refused_fallback_leaves_rows", oracle::table_fault::none, fault::refused_fallback_leaves_rows,
                "a refused fallback of an alias keeps the keys before the occupied one"},
    named_fault{"first_withdrawal_undefines", oracle::table_fault::none, fault::first_withdrawal_undefines,
                "an operator defined twice is gone with the first definition"},
    named_fault{"device_not_asked", oracle::table_fault::none, fault::device_not_asked,
                "an operator that selects by its device argument does not add the device's keys"},
    named_fault{"autocast_on_at_first", oracle::table_fault::none, fault::autocast_on_at_first,
                "a thread begins with nothing excluded"}};

}  // namespace model
