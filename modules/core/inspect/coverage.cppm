// Coverage of a registry: which key of which operator is served by what, and which kernels no call reaches.
export module topbit.core:inspect.coverage;

import topbit.std;
import :dispatch.handle;
import :inspect.computed_table;
import :inspect.inspect;
import :keys.key;
import :registry.registry;

namespace topbit {

namespace inspect {

/// Why a kernel is out of reach.
export enum class shadow_reason : std::uint8_t {
  overridden,  // a newer registration for the same key took its place
  unselected,  // every slot its alias stands for holds something else
  composite,   // arguments that bring its key carry an autograd key where a composite wins
  ambiguous    // they carry an autograd key where calls throw, because of it and a composite
};

/// A registration that no call reaches, or none whose arguments carry their autograd key.
export struct shadowed_kernel {
  std::string op;
  key_target key;
  source_location place{};
  shadow_reason reason = shadow_reason::overridden;
  dispatch_key at{};       // composite, ambiguous: the autograd key whose slot is taken instead
  source_location by{};    // what comes first; empty where nothing single does
  std::string sentence{};  // all of that as a sentence
};

export struct coverage_row {
  std::string op;
  std::vector<table_row> cells;  // one per key of the report, those that miss a kernel included
};

/// Operators by keys.
export struct coverage_report {
  std::vector<dispatch_key> keys;
  std::vector<coverage_row> operators;
  std::vector<shadowed_kernel> shadowed;  // in the order of the operators, then of keys
};

/// What a cell of the table says in one word: "kernel", "composite", "passes", or the word of its
/// author::kernel_remark; "-" where a kernel is missing.
export std::string_view word_of(const table_row& cell) noexcept;

}  // namespace inspect

export std::string_view name_of(inspect::shadow_reason r) noexcept;

/// For all defined operators, by name. Without keys: those for which a kernel or a fallback is registered directly,
/// ascending. Takes the registry's lock and copies; cost: one selection per operator and key,
/// and one per slot for each kernel of an alias.
export inspect::coverage_report coverage(const registry& r = registry::process(),
                                         std::span<const dispatch_key> keys = {});
/// The same for these operators, in this order.
export inspect::coverage_report coverage(std::span<const operator_handle> operators,
                                         std::span<const dispatch_key> keys = {});

/// Human-readable: a table of words, '-' where a kernel is missing, and one line per kernel that is out of reach. Where
/// a line of the table would be longer than `width`, the columns that have no room go on below; 0: none has too little.
export std::string to_string(const inspect::coverage_report& r, std::size_t width = 0);

}  // namespace topbit
