// expect: error: static assertion failed: the kernel takes float, wanted int$
import fact.message;

static int bad(float x) { return static_cast<int>(x); }

int installed() { return install(&bad); }
