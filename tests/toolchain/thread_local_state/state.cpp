module fact.state;

constinit thread_local state tls{0, ~0ul};

state* seen_by_library() { return &tls; }
