module topbit.core;

import topbit.std;

namespace topbit::detail {

constinit thread_local thread_keys this_thread_keys [[gnu::tls_model("initial-exec")]];

}  // namespace topbit::detail
