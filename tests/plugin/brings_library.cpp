extern "C" int library_answer();
extern "C" int answer() { return library_answer(); }
