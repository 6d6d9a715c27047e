// What a registry holds behind its lock. Internal.
export module topbit.core:registry_state;

import topbit.std;
import :entry;
import :kernel;
import :key;
import :key_set;
import :name_table;
import :operator_info;

namespace topbit {

namespace detail {

struct claimed_namespace {
  std::uint64_t id;
  std::string name;
  std::string place;
};

struct registry_state {
  mutable std::mutex mutex;
  name_table names;
  std::vector<std::unique_ptr<entry>> entries;
  std::vector<std::unique_ptr<live_registration>> fallback_registrations;
  live_kernels::fallback_table fallbacks{};
  std::vector<claimed_namespace> namespaces;
  std::uint64_t next_id = 1;

  // Under the lock: the entry of this name and signature, made if there is none.
  entry& intern(const operator_info& op);
  void publish_all();
  // The defined name nearest to this one, if near enough to be a slip of the pen; else empty.
  std::string nearest(std::string_view name) const;
};

std::string place(std::string_view file, unsigned line);

}  // namespace detail

}  // namespace topbit
