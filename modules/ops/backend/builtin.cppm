// The built-in operators enter the process registry when this module is loaded.
//
// The one dynamic initialiser of the library. It is in an interface partition, so that
// every program that imports topbit.ops runs it, before its own statics, even from a static archive whose unreferenced
// sections the linker drops.
export module topbit.ops:backend.builtin;

import topbit.std;

namespace topbit::detail {

bool register_builtin();
const bool builtin_registered = register_builtin();

}  // namespace topbit::detail
