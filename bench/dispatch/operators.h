// A thousand operators, one for each name of names.h, all with the schema "aten::<name>(Tensor self, Tensor other) ->
// int". Import topbit.core before this file.
#pragma once

#include <array>
#include <string_view>

#include "names.h"

namespace operators {

struct one {
  std::string_view name;  // "aten::verb_ending.Overload"
  void (*define)(topbit::library_block&);
  // Kernels for the five keys below.
  void (*implement)(topbit::library_block&);
  // A kernel for CompositeImplicitAutograd.
  void (*compose)(topbit::library_block&);
};
extern const std::array<one, names::count> all;

// None of them an alias: each fills slots of its own.
inline constexpr std::array<topbit::dispatch_key, 5> kernel_keys{topbit::key::CPU, topbit::key::CUDA, topbit::key::Meta,
                                                                 topbit::key::SparseCPU, topbit::key::AutogradCPU};

}  // namespace operators
