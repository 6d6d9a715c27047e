module;

#include <cstdint>
#include <string>
#include <string_view>

module tables_test_made;

import topbit.tensor;

namespace made::kernels {

topbit::tensor scaled_add_cpu(const topbit::tensor& self, const topbit::tensor& other, double scale) {
  topbit::tensor result = topbit::author::make_tensor(self.sizes(), topbit::dtype::float32, self.device());
  for (long i = 0; i < self.numel(); ++i)
    result.data_ptr<float>()[i] = self.data_ptr<float>()[i] + static_cast<float>(scale) * other.data_ptr<float>()[i];
  return result;
}

std::string label(std::string_view text, std::int64_t n) { return std::string(text) + std::to_string(n); }

topbit::tensor less_out_shape(const topbit::tensor& self, const topbit::tensor&) {
  return topbit::author::make_tensor(self.sizes(), topbit::dtype::float32, self.device());
}
topbit::tensor& less_out(const topbit::tensor& self, const topbit::tensor& other, topbit::tensor& out) {
  for (long i = 0; i < self.numel(); ++i)
    out.data_ptr<float>()[i] = self.data_ptr<float>()[i] < other.data_ptr<float>()[i] ? 1 : 0;
  return out;
}

}  // namespace made::kernels
