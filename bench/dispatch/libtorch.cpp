// bench_dispatch_libtorch: the same cases by libtorch's dispatcher, under the same names, for a column of the cost
// table. At its best: one thread, and tensors made in inference mode, which bring no autograd keys to a call.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/torch.h>

#include "cases.h"
#include "names.h"

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::DispatchKeySet;
using signature = int64_t(const Tensor&, const Tensor&);

const DispatchKeySet layers[] = {DispatchKeySet(DispatchKey::ADInplaceOrView), DispatchKeySet(DispatchKey::Tracer),
                                 DispatchKeySet(DispatchKey::FuncTorchBatched), DispatchKeySet(DispatchKey::Batched)};

// Two words, read through the arguments.
inline int64_t sum(const Tensor& a, const Tensor& b) {
  return a.unsafeGetTensorImpl()->storage_offset() + b.unsafeGetTensorImpl()->storage_offset();
}
constexpr int64_t a_value = 3, b_value = 4, expected = 7;

[[gnu::noinline]] int64_t sum_elsewhere(const Tensor& a, const Tensor& b) { return sum(a, b); }

c10::OperatorHandle find(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

template <DispatchKey Key>
int64_t layer(DispatchKeySet keys, const Tensor& a, const Tensor& b) {
  static const auto op = find("bench::layered").typed<signature>();
  return op.redispatch(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, Key), a, b);
}

template <DispatchKey Key>
int64_t guarded_layer(const Tensor& a, const Tensor& b) {
  static const auto op = find("bench::guarded").typed<signature>();
  const c10::impl::ExcludeDispatchKeyGuard guard(Key);
  return op.call(a, b);
}

void sum_boxed(const c10::OperatorHandle&, torch::jit::Stack* s) {
  const int64_t result = sum((*s)[s->size() - 2].toTensor(), (*s)[s->size() - 1].toTensor());
  torch::jit::drop(*s, 2);
  torch::jit::push(*s, result);
}

void pass_on(const c10::OperatorHandle& op, DispatchKeySet keys, torch::jit::Stack* s) {
  op.redispatchBoxed(keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, DispatchKey::TESTING_ONLY_GenericMode), s);
}

TORCH_LIBRARY(bench, m) {
  for (const char* name : {"unboxed", "layered", "guarded", "boxed_kernel", "behind_fallback"}) {
    m.def((std::string(name) + "(Tensor a, Tensor b) -> int").c_str());
  }
  for (const char* name : {"unboxed", "layered", "guarded", "behind_fallback"}) {
    m.impl(name, torch::dispatch(DispatchKey::CPU, TORCH_FN(sum)));
  }
  m.impl("boxed_kernel", torch::dispatch(DispatchKey::CPU, torch::CppFunction::makeFromBoxedFunction<&sum_boxed>()));
  m.impl("layered", torch::dispatch(DispatchKey::ADInplaceOrView, TORCH_FN(layer<DispatchKey::ADInplaceOrView>)));
  m.impl("layered", torch::dispatch(DispatchKey::Tracer, TORCH_FN(layer<DispatchKey::Tracer>)));
  m.impl("layered", torch::dispatch(DispatchKey::FuncTorchBatched, TORCH_FN(layer<DispatchKey::FuncTorchBatched>)));
  m.impl("layered", torch::dispatch(DispatchKey::Batched, TORCH_FN(layer<DispatchKey::Batched>)));
  m.impl("guarded",
         torch::dispatch(DispatchKey::ADInplaceOrView, TORCH_FN(guarded_layer<DispatchKey::ADInplaceOrView>)));
  m.impl("guarded", torch::dispatch(DispatchKey::Tracer, TORCH_FN(guarded_layer<DispatchKey::Tracer>)));
  m.impl("guarded",
         torch::dispatch(DispatchKey::FuncTorchBatched, TORCH_FN(guarded_layer<DispatchKey::FuncTorchBatched>)));
  m.impl("guarded", torch::dispatch(DispatchKey::Batched, TORCH_FN(guarded_layer<DispatchKey::Batched>)));
}
TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&pass_on>());
}

// A CPU tensor with these keys beside its own.
Tensor tensor_with(DispatchKeySet more, int64_t value) {
  const c10::InferenceMode inference;
  const Tensor storage = at::empty({1});
  Tensor t = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(storage.storage()),
                                                      DispatchKeySet(DispatchKey::CPU) | more, storage.dtype());
  t.unsafeGetTensorImpl()->set_storage_offset(value);
  return t;
}

template <class Rounds, class Call>
bool measure(Rounds& rounds, DispatchKeySet more, Call call) {
  const Tensor a = tensor_with(more, a_value), b = tensor_with(more, b_value);
  const Tensor *pa = &a, *pb = &b;
  return cases::in_turn(rounds, [&](auto place) {
    int64_t result = 0;
    cases::lie_at(place);
    for (auto _ : rounds) {
      benchmark::DoNotOptimize(pa);
      benchmark::DoNotOptimize(pb);
      result = call(*pa, *pb);
      benchmark::DoNotOptimize(result);
    }
    return result == expected;
  });
}

template <class Make>
void add(const std::string& name, DispatchKeySet more, Make make) {
  cases::add(name, [=](auto& rounds) { return measure(rounds, more, make()); });
}

auto caller(const char* name) {
  return
      [=] { return [op = find(name).typed<signature>()](const Tensor& a, const Tensor& b) { return op.call(a, b); }; };
}

void add_calls() {
  add("dispatch/function_pointer", {}, [] {
    int64_t (*volatile stored)(const Tensor&, const Tensor&) = &sum_elsewhere;
    return [pointer = stored](const Tensor& a, const Tensor& b) { return pointer(a, b); };
  });
  add("dispatch/unboxed", {}, caller("bench::unboxed"));
  DispatchKeySet more;
  for (int count = 1; count <= 4; ++count) {
    more = more | layers[count - 1];
    add("dispatch/redispatch/" + std::to_string(count), more, caller("bench::layered"));
    add("dispatch/guard_and_call/" + std::to_string(count), more, caller("bench::guarded"));
  }
  add("dispatch/boxed_kernel", {}, caller("bench::boxed_kernel"));
  add("dispatch/boxed_fallback", DispatchKeySet(DispatchKey::TESTING_ONLY_GenericMode),
      caller("bench::behind_fallback"));
  add("dispatch/call_boxed", {}, [] {
    return [op = find("bench::unboxed"), s = torch::jit::Stack()](const Tensor& a, const Tensor& b) mutable {
      s.clear();
      torch::jit::push(s, a, b);
      op.callBoxed(&s);
      return s[0].toInt();
    };
  });
}

// "namespace::verb_ending", "Overload"
c10::OperatorName operator_name(const char* ns, std::size_t i) {
  const std::string overload(names::at(i).overload.substr(names::at(i).overload.empty() ? 0 : 1));
  return {std::string(ns) + std::string(names::at(i).verb) + std::string(names::at(i).ending), overload};
}

void register_names() {
  static torch::Library library(torch::Library::FRAGMENT, "bench_names", {}, __FILE__, __LINE__);
  static const bool done = [] {
    for (std::size_t i = 0; i < names::count; ++i) {
      library.def((names::text(i) + "(Tensor self, Tensor other) -> int").c_str());
    }
    return true;
  }();
  static_cast<void>(done);
}

void add_lookup() {
  const auto threads = [](benchmark::internal::Benchmark* b) { b->Threads(1)->Threads(2); };
  // Names made before, since libtorch's are two strings.
  cases::add("lookup/find", [](auto& rounds) {
    register_names();
    static const std::vector<c10::OperatorName> queries = [] {
      std::vector<c10::OperatorName> made;
      for (std::size_t i : names::order()) made.push_back(operator_name("bench_names::", i));
      return made;
    }();
    const auto look_up = [](const c10::OperatorName& name) { return c10::Dispatcher::singleton().findSchema(name); };
    names::look_up(rounds, queries, look_up);
    for (const c10::OperatorName& name : queries) {
      const auto found = look_up(name);
      if (!found || !(found->operator_name() == name)) return false;
    }
    return true;
  }).arrange = threads;
  cases::add("lookup/unordered_map", [](auto& rounds) {
    register_names();
    static const std::vector<std::string> texts = [] {
      std::vector<std::string> made;
      for (std::size_t i = 0; i < names::count; ++i) made.push_back("bench_names::" + names::text(i));
      return made;
    }();
    static const std::vector<std::string> copies = [] {
      std::vector<std::string> made;
      for (std::size_t i : names::order()) made.push_back(texts[i]);
      return made;
    }();
    static const std::vector<std::string_view> queries(copies.begin(), copies.end());
    static const std::unordered_map<std::string_view, const std::string*> map = [] {
      std::unordered_map<std::string_view, const std::string*> made;
      for (const std::string& t : texts) made.emplace(t, &t);
      return made;
    }();
    const auto look_up = [](std::string_view name) { return map.find(name)->second; };
    names::look_up(rounds, queries, look_up);
    return *look_up(queries[0]) == queries[0];
  }).arrange = threads;
}

constexpr std::size_t batch = 64;

void define(torch::Library& library, std::size_t i) {
  library.def((names::text(i) + "(Tensor self, Tensor other) -> int").c_str());
}
void implement(torch::Library& library, std::size_t i) {
  for (DispatchKey key :
       {DispatchKey::CPU, DispatchKey::CUDA, DispatchKey::Meta, DispatchKey::SparseCPU, DispatchKey::AutogradCPU}) {
    library.impl(names::text(i).c_str(), torch::dispatch(key, TORCH_FN(sum)));
  }
}

torch::Library fresh_library() {
  return torch::Library(torch::Library::FRAGMENT, "bench_fresh", {}, __FILE__, __LINE__);
}

bool registered(std::size_t i) {
  const auto handle = c10::Dispatcher::singleton().findSchema(operator_name("bench_fresh::", i));
  return handle && handle->hasKernelForDispatchKey(DispatchKey::AutogradCPU);
}

void add_registration() {
  const auto manual = [](benchmark::internal::Benchmark* b) { b->UseManualTime()->Unit(benchmark::kMicrosecond); };
  cases::add_timed("registration/define_and_5_kernels", [](benchmark::State& state) {
    cases::units_per_round(state, batch);
    bool right = true;
    for (auto _ : state) {
      torch::Library library = fresh_library();
      state.SetIterationTime(cases::seconds([&] {
        for (std::size_t i = 0; i < batch; ++i) {
          define(library, i);
          implement(library, i);
        }
      }));
      right = right && registered(batch - 1);
    }
    return right;
  }).arrange = manual;
  cases::add_timed("registration/per_row", [](benchmark::State& state) {
    double rows = 0;
    for (DispatchKey key : c10::getRuntimeDispatchKeySet(DispatchKey::CompositeImplicitAutograd)) {
      rows += key != DispatchKey::Undefined ? 1 : 0;
    }
    cases::units_per_round(state, batch * rows);
    for (auto _ : state) {
      torch::Library library = fresh_library();
      for (std::size_t i = 0; i < batch; ++i) define(library, i);
      state.SetIterationTime(cases::seconds([&] {
        for (std::size_t i = 0; i < batch; ++i) {
          library.impl(names::text(i).c_str(), torch::dispatch(DispatchKey::CompositeImplicitAutograd, TORCH_FN(sum)));
        }
      }));
    }
    return rows > 10;
  }).arrange = manual;
  cases::add_timed("memory/operator_with_5_kernels", [](benchmark::State& state) {
    bool right = true;
    for (auto _ : state) {
      torch::Library library = fresh_library();
      const double bytes = cases::bytes_kept([&] {
        for (std::size_t i = 0; i < names::count; ++i) {
          define(library, i);
          implement(library, i);
        }
      });
      right = right && registered(names::count - 1);
      state.counters["bytes"] = bytes / names::count;
    }
    return right;
  }).arrange = [](benchmark::internal::Benchmark* b) {
    b->Iterations(1)->Repetitions(3)->Unit(benchmark::kMillisecond);
  };
}

}  // namespace

int main(int argc, char** argv) {
  at::set_num_threads(1);
  add_calls();
  add_lookup();
  add_registration();
  return cases::run(argc, argv);
}
