extern "C" int nobody_has_this();
extern "C" int call() { return nobody_has_this(); }
