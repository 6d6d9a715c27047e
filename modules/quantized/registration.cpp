module topbit.quantized;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :dequantizing;
import :registration;
import :rows;

namespace topbit::quantized {

bool register_quantized() {
  for (const auto rows : {&gradient_rows, &composite_rows, &cpu_rows, &quantize_rows, &fake_rows, &product_rows,
                          &selection_rows, &copy_rows, &fallback_rows}) {
    author::register_rows(rows());
  }
  topbit::fallback<&without_kernel>(key::AnyQuantized).keep();
  author::register_layout(layout::quantized, &read_parts);
  return true;
}

}  // namespace topbit::quantized
