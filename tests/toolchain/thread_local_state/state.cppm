// One form of thread-local works: declared extern, constinit and initial-exec in an interface, defined in a .cpp of
// the module. The executable, a library and a plugin see the same variable, also where the whole lot is opened by
// a host that knows none of it, and reading it is a plain access (no call: checked beside this program).
export module fact.state;

export struct state {
  unsigned long include, keep;
};
export extern constinit thread_local state tls [[gnu::tls_model("initial-exec")]];

// Not inline here, so this is the library's own view.
export state* seen_by_library();
