import topbit.core;

#include "own_library.h"

pixel much_brighter(const pixel& p) { return brighter(brighter(p)); }
