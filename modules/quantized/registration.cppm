// Registers what the module adds to operators and files, when it is initialised. In an interface partition, so that
// every program that imports the module runs it, before its own statics.
export module topbit.quantized:registration;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::quantized {

tensor read_parts(const shape& sizes, dtype type, std::span<const author::layout_payload::part> parts,
                  std::string_view attributes);

bool register_quantized();
const bool quantized_registered = register_quantized();

}  // namespace topbit::quantized
