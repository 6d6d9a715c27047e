// A library that is no tool.
extern "C" int profiler_answer() { return 7; }
