import fact.members;

extern "C" int call_plain(const box& b) { return b.plain() + 1; }
extern "C" int call_hot(const box& b) { return b.hot() + 1; }
