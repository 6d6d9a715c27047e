// Who may run on the host, and the account of it.
module topbit.backend:report;

import topbit.std;
import topbit.core;
import topbit.tensor;
import :fallback;

namespace topbit::detail {

// What runs on the host, and why. `entry` and `reason` are literals.
struct host_work {
  backend which;
  std::string_view op, entry, reason;
};

// Throws no_kernel where the policy refuses; warns where it says so, once for each operator.
void ask_policy(const host_work& w, backends::fallback_policy usual);
void account_for(const host_work& w, std::uint64_t bytes_out, std::uint64_t bytes_in, std::int64_t nanoseconds);
// A backend that register_backend() made.
void admit(backend b);

}  // namespace topbit::detail
