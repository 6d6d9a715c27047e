// What the programs here have in common: a claim that is false prints itself and ends the program.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                                   \
  do {                                                                               \
    if (!(__VA_ARGS__)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
      std::exit(1);                                                                  \
    }                                                                                \
  } while (false)
