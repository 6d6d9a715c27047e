// expect: implicit instantiation of undefined template 'trait<int>'
// A specialisation in another module's global module fragment is not seen by importers.
#include "in_fragment.h"
import fact.in_fragment;

int answer() { return trait<int>::value + unrelated; }
