// The kernels of the module, by the source file that has them. Internal.
module topbit.onednn:rows;

import topbit.std;
import topbit.core;
import topbit.tensor;

namespace topbit::onednn {

std::span<const author::kernel_row> convert_rows();      // conversions, copies, writes
std::span<const author::kernel_row> shape_rows();        // reshape, transposition, cat
std::span<const author::kernel_row> elementwise_rows();  // activations and arithmetic
std::span<const author::kernel_row> product_rows();      // matrix products
std::span<const author::kernel_row> window_rows();       // convolution and pooling
std::span<const author::kernel_row> norm_rows();         // batch_norm, softmax
std::span<const author::kernel_row> integer_rows();      // products of integers

// Fn as the kernel of Op: errors of operators that it calls name Op as well, those of the library are errors of Op.
template <auto Fn, const auto& Op, class F = decltype(Fn)>
struct named;
template <auto Fn, const auto& Op, class R, class... A>
struct named<Fn, Op, R (*)(A...)> {
  static R run(A... a) {
    try {
      return Fn(static_cast<A>(a)...);
    } catch (error& e) {
      if (e.op() != Op.name()) e.called_by(Op.name());
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& e) {  // of the library
      throw error(std::string(Op.name()) + ": " + e.what(), std::string(Op.name()));
    }
  }
};

template <auto Fn, const auto& Op>
constexpr author::kernel_row blocked_row(std::source_location where = std::source_location::current()) {
  return author::row<&named<Fn, Op>::run>(Op, key::MkldnnCPU, where);
}
// Lets calls of a composite reach the kernel above. A composite is also the kernel of AutogradCPU, where it would run
// first; those of the CPU behind it record their parts.
template <const auto& Op>
constexpr author::kernel_row reached(std::source_location where = std::source_location::current()) {
  return author::fallthrough_row(Op, key::AutogradCPU, where);
}

}  // namespace topbit::onednn
