// A row is a plain base plus a derived struct that holds the typed thunk. Such rows are constants of the image (no
// code runs to make them), and a static_cast from the base reaches the thunk. A reinterpret_cast of the function
// pointer would not be a constant expression.
#include "check.h"

struct kernel {
  const char* name;
};
template <class Thunk>
struct typed_kernel : kernel {
  Thunk unboxed;
};

static int doubled(int x) { return 2 * x; }
static double halved(double x) { return x / 2; }

static constinit const typed_kernel<int (*)(int)> row_a{{"doubled"}, &doubled};
static constinit const typed_kernel<double (*)(double)> row_b{{"halved"}, &halved};
static constinit const kernel* const rows[] = {&row_a, &row_b};

int main() {
  CHECK(static_cast<const typed_kernel<int (*)(int)>*>(rows[0])->unboxed(21) == 42);
  CHECK(static_cast<const typed_kernel<double (*)(double)>*>(rows[1])->unboxed(3) == 1.5);
}
