// What a call costs, by the way it takes to the same work. Read the ratios to dispatch/function_pointer of the same
// run.
#include <any>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cases.h"

import topbit.core;
import topbit.modes;

#include "problem.h"
#include "programs.h"

namespace {

namespace tb = topbit;
using problem::item;
using problem::record;

using signature = int(const item&, const item&);
inline constexpr tb::op<"bench::unboxed", signature> unboxed;
inline constexpr tb::op<"bench::unboxed_extern", signature> unboxed_extern;
inline constexpr tb::op<"bench::layered", signature> layered;
inline constexpr tb::op<"bench::guarded", signature> guarded;
inline constexpr tb::op<"bench::boxed_kernel", signature> boxed_kernel;
inline constexpr tb::op<"bench::behind_fallback", signature> behind_fallback;

// A layer that does nothing but call on.
template <tb::dispatch_key Key>
int layer(tb::key_set keys, const item& a, const item& b) {
  return layered.redispatch(keys & tb::below(Key), a, b);
}

// The same by a guard and the front door, which looks at the arguments again.
template <tb::dispatch_key Key>
int guarded_layer(const item& a, const item& b) {
  const tb::exclude_guard guard(Key);
  return guarded(a, b);
}

void sum_boxed(const tb::operator_handle&, tb::boxed_stack& s) {
  const int result = problem::sum(s[s.size() - 2].get<item>(), s[s.size() - 1].get<item>());
  s.drop(2);
  s.push(result);
}

void pass_on(const tb::operator_handle& op, tb::key_set keys, tb::boxed_stack& s) {
  op.redispatch_boxed(keys & tb::below(tb::key::UserTop2), s);
}

// Boxes as the standard library has them, behind one function pointer: nothing is selected and nothing counted.
void sum_any(std::vector<std::any>& s) {
  const int result = problem::sum(std::any_cast<const item&>(s[0]), std::any_cast<const item&>(s[1]));
  s.clear();
  s.emplace_back(result);
}

const auto kernels = tb::library("bench")
                         .def(unboxed)
                         .impl<&problem::sum>(unboxed, tb::key::CPU)
                         .def(unboxed_extern)
                         .impl<&problem::sum_elsewhere>(unboxed_extern, tb::key::CPU)
                         .def(layered)
                         .impl<&problem::sum>(layered, tb::key::CPU)
                         .impl<&layer<tb::key::UserBottom1>>(layered, tb::key::UserBottom1)
                         .impl<&layer<tb::key::UserBottom2>>(layered, tb::key::UserBottom2)
                         .impl<&layer<tb::key::UserMiddle1>>(layered, tb::key::UserMiddle1)
                         .impl<&layer<tb::key::UserMiddle2>>(layered, tb::key::UserMiddle2)
                         .def(guarded)
                         .impl<&problem::sum>(guarded, tb::key::CPU)
                         .impl<&guarded_layer<tb::key::UserBottom1>>(guarded, tb::key::UserBottom1)
                         .impl<&guarded_layer<tb::key::UserBottom2>>(guarded, tb::key::UserBottom2)
                         .impl<&guarded_layer<tb::key::UserMiddle1>>(guarded, tb::key::UserMiddle1)
                         .impl<&guarded_layer<tb::key::UserMiddle2>>(guarded, tb::key::UserMiddle2)
                         .def(boxed_kernel)
                         .impl_boxed<&sum_boxed>(boxed_kernel, tb::key::CPU)
                         .def(behind_fallback)
                         .impl<&problem::sum>(behind_fallback, tb::key::CPU);
const auto fallback = tb::fallback<&pass_on>(tb::key::UserTop2);

// Modes that do nothing but call on, for as long as the case runs.
struct pass_through {
  void operator()(tb::modes::call& c) const { c.proceed(); }
};
struct calls_through_modes {
  explicit calls_through_modes(int count) {
    for (std::unique_ptr<scope>& s : {std::ref(outer), std::ref(inner)}) {
      if (count-- > 0) s = std::make_unique<scope>(pass_through(), tb::modes::above);
    }
  }
  int operator()(const item& a, const item& b) const { return unboxed(a, b); }

  using scope = tb::modes::scope<pass_through>;
  std::unique_ptr<scope> outer, inner;  // the inner one ends first
};

// Calls that an observer sees begin and end; a range while nothing is observed, and one that is.
struct observing {
  void begin(const tb::observe::event& e) { benchmark::DoNotOptimize(e.arguments().size()); }
  void end(const tb::observe::event& e) { benchmark::DoNotOptimize(e.threw()); }
};
struct observed_calls {
  explicit observed_calls(bool arguments) : observer(observing(), {.arguments = arguments}) {}
  int operator()(const item& a, const item& b) const { return unboxed(a, b); }
  tb::observe::observer observer;
};
struct ranges {
  explicit ranges(bool observed) {
    if (observed) observer.emplace(observing());
  }
  int operator()(const item& a, const item& b) const {
    const tb::observe::profile_range range("bench");
    return problem::sum(a, b);
  }
  std::optional<tb::observe::observer> observer;
};

// The keys of a call that passes so many layers above CPU.
tb::key_set keys_with_layers(int count) {
  constexpr std::array layers{tb::key::UserBottom1, tb::key::UserBottom2, tb::key::UserMiddle1, tb::key::UserMiddle2};
  tb::key_set keys = tb::key::CPU;
  for (int i = 0; i < count; ++i) keys = keys | layers[static_cast<std::size_t>(i)];
  return keys;
}

// Calls while this thread is traced, with the text made of each thousand or so.
class traced_calls {
 public:
  int operator()(const item& a, const item& b) {
    const int result = unboxed(a, b);
    if (--left_ == 0) {
      std::string text = trace_->text();
      benchmark::DoNotOptimize(text.data());
      trace_->clear();
      left_ = batch;
    }
    return result;
  }

 private:
  static constexpr int batch = 1024;
  std::unique_ptr<tb::trace_session> trace_{new tb::trace_session(tb::trace_session::this_thread())};
  int left_ = batch;
};

struct base {
  virtual ~base() = default;
  virtual int sum(const item& a, const item& b) const = 0;
};
struct derived final : base {
  int sum(const item& a, const item& b) const override { return problem::sum(a, b); }
};

template <class Rounds, class Call>
bool measure(Rounds& rounds, tb::key_set keys, Call call) {
  const record x{keys, problem::a_value}, y{keys, problem::b_value};
  item a{&x}, b{&y};
  return cases::in_turn(rounds, [&](auto place) {
    int result = 0;
    cases::lie_at(place);
    for (auto _ : rounds) {
      benchmark::DoNotOptimize(a);
      benchmark::DoNotOptimize(b);
      result = call(a, b);
      benchmark::DoNotOptimize(result);
    }
    return result == problem::expected;
  });
}

// `make` returns the call, made once before the rounds.
template <class Make>
void add(const char* name, tb::key_set keys, Make make) {
  cases::add(name, [=](auto& rounds) { return measure(rounds, keys, make()); });
}

}  // namespace

void programs::add_calls() {
  add("dispatch/function_pointer", tb::key::CPU, [] {
    int (*volatile stored)(const item&, const item&) = &problem::sum_elsewhere;
    return [pointer = stored](const item& a, const item& b) { return pointer(a, b); };
  });
  add("dispatch/virtual_call", tb::key::CPU, [] {
    static const derived object;
    const base* volatile stored = &object;
    return [pointer = stored](const item& a, const item& b) { return pointer->sum(a, b); };
  });
  add("dispatch/unboxed", tb::key::CPU, [] { return [](const item& a, const item& b) { return unboxed(a, b); }; });
  add("dispatch/unboxed_extern", tb::key::CPU,
      [] { return [](const item& a, const item& b) { return unboxed_extern(a, b); }; });
  add("dispatch/typed_handle", tb::key::CPU, [] { return tb::find("bench::unboxed").typed<signature>(); });
  add("dispatch/traced", tb::key::CPU, [] { return traced_calls(); });
  // The last word is the number of layers above the kernel.
  for (int layers = 1; layers <= 4; ++layers) {
    add(("dispatch/redispatch/" + std::to_string(layers)).c_str(), keys_with_layers(layers),
        [] { return [](const item& a, const item& b) { return layered(a, b); }; });
    add(("dispatch/guard_and_call/" + std::to_string(layers)).c_str(), keys_with_layers(layers),
        [] { return [](const item& a, const item& b) { return guarded(a, b); }; });
  }
  add("dispatch/boxed_kernel", tb::key::CPU,
      [] { return [](const item& a, const item& b) { return boxed_kernel(a, b); }; });
  add("dispatch/boxed_fallback", {tb::key::CPU, tb::key::UserTop2},
      [] { return [](const item& a, const item& b) { return behind_fallback(a, b); }; });
  for (int modes = 1; modes <= 2; ++modes) {
    add(("dispatch/modes/" + std::to_string(modes)).c_str(), tb::key::CPU,
        [modes] { return calls_through_modes(modes); });
  }
  add("dispatch/observed", tb::key::CPU, [] { return observed_calls(false); });
  add("dispatch/observed_arguments", tb::key::CPU, [] { return observed_calls(true); });
  add("dispatch/range/off", tb::key::CPU, [] { return ranges(false); });
  add("dispatch/range/on", tb::key::CPU, [] { return ranges(true); });
  add("dispatch/call_boxed", tb::key::CPU, [] {
    return [handle = tb::find("bench::unboxed")](const item& a, const item& b) {
      tb::inline_stack<4> s;
      s.push(tb::value::borrow(a));
      s.push(tb::value::borrow(b));
      handle.call_boxed(s);
      return s[0].get<int>();
    };
  });
  add("dispatch/any_vector", tb::key::CPU, [] {
    void (*volatile stored)(std::vector<std::any>&) = &sum_any;
    return [pointer = stored, s = std::vector<std::any>()](const item& a, const item& b) mutable {
      s.clear();
      s.emplace_back(a);
      s.emplace_back(b);
      pointer(s);
      return std::any_cast<int>(s[0]);
    };
  });
}
