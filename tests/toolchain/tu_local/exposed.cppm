// expect: \[-Werror,-WTU-local-entity-exposure\]
// clang names an internal function that an exported inline one would expose to importers, which other compilers
// reject; the ci preset makes an error of it.
export module fact.tu_local;

static int hidden() { return 1; }
export inline int shown() { return hidden(); }
