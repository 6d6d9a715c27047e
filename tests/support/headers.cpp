// The library that compiles headers.h needs a source.
