// Holds one registration of every kind, and a registry of its own. Its first object goes last.
#include "story.h"

namespace {

using namespace story;
namespace key = topbit::key;

int answer(const item& i) { return i.n; }
int heard = 0;
inline constexpr topbit::op<"own::width", int(const item&)> of_own;

// Destroyed after the objects below, when what they registered is gone.
struct last_word {
  ~last_word() {
    expect(calls_or_raises(early, {key::CPU, 1}) == -1, "the operator of this unit is withdrawn");
    expect(calls_or_raises(late, {key::CPU, 1}) == (first_is_older ? -1 : 10), "that of the other unit is, if younger");
    expect(!topbit::registry::process().try_find("exit::early").has_value(), "and not found by name");
    const auto again = topbit::fragment("exit").def(early).impl<&answer>(early, key::CPU);
    expect(early(item{key::CPU, 5}) == 5, "a library made at the very end works");
    std::fprintf(stderr, "the end was reached\n");
  }
} last;

auto block = topbit::library("exit").def(early).impl<&answer>(early, key::CPU);
topbit::registration listening = topbit::registry::process().listen([](const topbit::registry_event&) { ++heard; });
const auto passing = topbit::fallthrough(key::Tracer);
const auto always = topbit::registry::process().include_always(key::Tracer);
const auto name = topbit::name_backend(topbit::backend::PrivateUse1, "Npu");
topbit::registry own;
const auto in_own = topbit::library("own", own).def(of_own).impl<&answer>(of_own, key::CPU);

}  // namespace
