import fact.site;

extern "C" long call_it(long x) { return call<1>(x); }
