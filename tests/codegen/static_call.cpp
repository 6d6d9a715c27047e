// What a call through a kernel set costs, as object code: nothing but the kernel. `outside` is in another unit, so a
// jump to it by name is what may be left.
import topbit.core;

namespace tb = topbit;

struct record {
  tb::key_set keys;
};
struct handle {
  const record* what;
};
inline tb::key_set keys_of(const handle& t) noexcept { return t.what->keys; }

inline constexpr tb::op<"codegen::sum", int(int, int)> sum;
inline constexpr tb::op<"codegen::scale(int n, int by=3) -> int"> scale;
inline constexpr tb::op<"codegen::outside", int(const handle&, int)> far;

static int sum_cpu(int a, int b) { return a + b; }
static long scale_cpu(long n, long by) { return n * by; }
int outside(const handle& x, int n);

inline constexpr auto cpu = tb::static_dispatch::kernels<tb::key::CPU>(tb::static_dispatch::bind<sum, &sum_cpu>,
                                                                       tb::static_dispatch::bind<scale, &scale_cpu>,
                                                                       tb::static_dispatch::bind<far, &outside>);

int seen;
struct counting {
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    ++seen;
    return next(static_cast<A&&>(a)...);
  }
};
struct nothing {
  template <class Op, class Next, class... A>
  static auto run(Next next, A&&... a) {
    return next(static_cast<A&&>(a)...);
  }
};

template <tb::static_dispatch::can_call<sum, scale> How>
static long axpy(const How& how, int a, int x, int y) {
  return tb::static_dispatch::call<sum>(how, static_cast<int>(tb::static_dispatch::call<scale>(how, a, x)), y);
}

extern "C" int set_call(int a, int b) { return cpu.call<sum>(a, b); }
extern "C" long set_call_with_default(long n) { return cpu.call<scale>(n); }
extern "C" int set_call_outside(const handle& x, int n) { return cpu.call<far>(x, n); }
extern "C" int layered_call(int a, int b) {
  return tb::static_dispatch::layered<cpu, nothing, counting, nothing>.call<sum>(a, b);
}
extern "C" int layered_call_outside(const handle& x, int n) {
  return tb::static_dispatch::layered<cpu, counting, nothing>.call<far>(x, n);
}
extern "C" long generic_call(int a, int x, int y) { return axpy(cpu, a, x, y); }
extern "C" long generic_call_of_table(int a, int x, int y) { return axpy(tb::static_dispatch::dispatched, a, x, y); }
