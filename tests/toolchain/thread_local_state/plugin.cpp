import fact.state;

extern "C" void* seen_by_plugin() { return &tls; }
extern "C" int plugin_agrees() { return &tls == seen_by_library() && tls.keep == ~0ul; }
