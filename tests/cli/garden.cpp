// A plugin for the program's tests: operators on tensors, some of which forgot to say what their gradient is.
#include <array>
#include <cstdint>

import topbit.core;
import topbit.tensor;
import topbit.autograd;
namespace tb = topbit;
namespace key = topbit::key;
using tb::tensor;

namespace {

inline constexpr tb::op<"garden::grow(Tensor self) -> Tensor"> grow;
inline constexpr tb::op<"garden::count(Tensor self) -> int"> count;
inline constexpr tb::op<"garden::twice(int n) -> int"> twice;
inline constexpr tb::op<"garden::regrow(Tensor self) -> Tensor"> regrow;
inline constexpr tb::op<"garden::wilt(Tensor self) -> Tensor"> wilt;
inline constexpr tb::op<"garden::water_(Tensor(a!) self) -> Tensor(a!)"> water_;
inline constexpr tb::op<"garden::weed_(Tensor(a!) self) -> Tensor(a!)"> weed_;
inline constexpr tb::op<"garden::cut_(Tensor(a!) self) -> Tensor(a!)"> cut_;
inline constexpr tb::op<"garden::leaf(Tensor(a) self) -> Tensor(a)"> leaf;
inline constexpr tb::op<"garden::stem(Tensor(a) self) -> Tensor(a)"> stem;

tensor same(const tensor& self) { return self; }
tensor& same_written(tensor& self) { return self; }
std::int64_t count_kernel(const tensor& self) { return self.numel(); }
std::int64_t twice_kernel(std::int64_t n) { return 2 * n; }
struct same_rule {
  static same_rule save(const tensor&, const tensor&) { return {}; }
  std::array<tensor, 1> backward(const tensor& g, std::array<bool, 1>) const { return {g}; }
};

const auto garden = tb::library("garden")
                        .def(grow)
                        .impl<&same>(grow, key::CPU)
                        .impl<&tb::author::autograd_kernel<grow, same_rule>::run>(grow, key::Autograd)
                        .def(count)
                        .impl<&count_kernel>(count, key::CPU)
                        .fallthrough(count, key::Autograd)
                        .def(twice)
                        .impl<&twice_kernel>(twice, key::CPU)
                        .def(regrow)
                        .impl<&same>(regrow)
                        .def(wilt)
                        .impl<&same>(wilt, key::CPU)
                        .def(water_)
                        .impl<&same_written>(water_, key::CPU)
                        .impl<&tb::author::autograd_kernel<water_, same_rule>::run>(water_, key::Autograd)
                        .impl<&tb::author::counts_writes<water_>::run>(water_, key::ADInplaceOrView)
                        .def(weed_)
                        .impl<&same_written>(weed_, key::CPU)
                        .def(cut_)
                        .impl<&same_written>(cut_, key::CPU)
                        .impl<&tb::author::counts_writes<cut_>::run>(cut_, key::ADInplaceOrView)
                        .fallthrough(cut_, key::Autograd)
                        .def(leaf)
                        .impl<&same>(leaf, key::CPU)
                        .impl<&tb::author::autograd_kernel<leaf, same_rule>::run>(leaf, key::Autograd)
                        .impl<&tb::author::tracks_view<leaf>::run>(leaf, key::ADInplaceOrView)
                        .def(stem)
                        .impl<&same>(stem, key::CPU)
                        .impl<&tb::author::autograd_kernel<stem, same_rule>::run>(stem, key::Autograd);

}  // namespace
