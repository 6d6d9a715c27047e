// What each slot of an operator holds and why: choose_for_slot asked for every slot, and compared with what callers
// read.
export module topbit.core:inspect.computed_table;

import topbit.std;
import :dispatch.handle;
import :dispatch.precedence;
import :inspect.inspect;
import :keys.key;

namespace topbit {

namespace inspect {

/// What one slot holds.
export struct table_row {
  dispatch_key key;
  row_reason why = row_reason::missing;
  bool passes = false;                         // calls pass through: a fallthrough, or no kernel handles the key
  std::optional<key_target> registered_for{};  // what the kernel was registered for; empty where none was selected
  source_location place{};                     // where; empty where none was selected
  std::string note{};                          // what the kernel does, if it or its remark says
  std::string_view word{};                     // of its author::kernel_remark; empty if there is none
  friend bool operator==(const table_row&, const table_row&) = default;
};

/// The slot of this key alone, `missing` where a call would find no kernel. Takes the registry's lock and copies; cost:
/// one selection.
export table_row computed_row(const operator_handle& op, dispatch_key key);

/// Does a call that selects this key find a kernel, or pass through? False for an ambiguous slot. Takes no lock, unless
/// calls are traced.
export bool has_entry(const operator_handle& op, dispatch_key key);

}  // namespace inspect

/// Every slot but those that miss a kernel, ascending; empty while the operator is not defined, since then every call
/// throws. Recomputed from what is registered now. Takes the registry's lock and copies; cost: one selection
/// per slot.
export std::vector<inspect::table_row> computed_table(const operator_handle& op);

/// "CPU: kernel, registered at f.cpp:12"
export std::string to_string(const inspect::table_row& row);
/// One line per slot; neighbouring backends of one functionality that hold the same share a line.
export std::string to_string(std::span<const inspect::table_row> table);

/// What is wrong with what callers read, one sentence each: slots, mask and words that are not what the registrations
/// give, a schema of another name or length, a kernel stored under no key. Empty unless topbit has a defect or
/// memory was overwritten. Takes the lock, so no registration is seen half done.
export std::vector<std::string> verify(const operator_handle& op);

}  // namespace topbit
