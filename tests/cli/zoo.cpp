// A plugin for the program's tests: operators in a namespace of their own, so that what is printed of them does not
// change with the library.
#include <cstdint>
#include <string_view>

import topbit.core;
namespace tb = topbit;
namespace key = topbit::key;

struct animal {
  tb::key_set keys;
  int weight;
};
constexpr tb::key_set keys_of(const animal& a) noexcept { return a.keys; }

struct stall {
  tb::backend where;
};
constexpr tb::key_set backend_keys_of(const stall& s) noexcept { return {s.where, key::Dense}; }

namespace {

inline constexpr tb::op<"zoo::feed", int(const animal&, const animal&)> feed;
inline constexpr tb::op<"zoo::groom", int(const animal&)> groom;
inline constexpr tb::op<"zoo::weigh", int(const animal&)> weigh;
inline constexpr tb::op<"zoo::weigh.twice", int(const animal&)> weigh_twice;
inline constexpr tb::op<"zoo::build", int(const stall&)> build;
inline constexpr tb::op<"zoo::say(str what=\"moo\", *, int times=2) -> int"> say;

int feed_kernel(const animal& a, const animal& b) { return a.weight + b.weight; }
int one_kernel(const animal& a) { return a.weight; }
int build_kernel(const stall&) { return 1; }
std::int64_t say_kernel(std::string_view what, std::int64_t times) {
  return static_cast<std::int64_t>(what.size()) * times;
}

const auto name = tb::name_backend(tb::backend::PrivateUse1, "Ark");
const auto zoo = tb::library("zoo")
                     .def(feed)
                     .impl<&feed_kernel>(feed, key::CPU)
                     .impl<&feed_kernel>(feed, key::CUDA)
                     .impl<&feed_kernel>(feed, key::Autograd)
                     .def(groom)
                     .impl<&one_kernel>(groom)  // a composite, which leaves the next one out of reach
                     .impl<&one_kernel>(groom, key::SparseCPU)
                     .def(weigh)
                     .impl<&one_kernel>(weigh, key::CompositeExplicitAutograd)
                     .impl<&one_kernel>(weigh, key::PrivateUse1)
                     .def(weigh_twice)
                     .impl<&one_kernel>(weigh_twice, key::CPU)
                     .impl<&one_kernel>(weigh_twice, key::CPU)  // overrides the line above
                     .def(build)
                     .impl<&build_kernel>(build, key::CPU)
                     .def(say)
                     .impl<&say_kernel>(say);

}  // namespace
