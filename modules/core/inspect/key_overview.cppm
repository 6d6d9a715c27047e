// All dispatch keys: their priority, and what each alias stands for.
export module topbit.core:inspect.key_overview;

import topbit.std;
import :keys.key;
import :keys.key_set;

namespace topbit {

namespace inspect {

export struct layer_overview {
  functionality layer = functionality::undefined;
  std::vector<dispatch_key> keys;  // backends descending, or the one key there is
  bool passes = false;             // calls pass through it where nothing is registered
};

export struct alias_overview {
  alias_key alias{};
  std::vector<dispatch_key> keys;  // the slots it stands for, ascending; first no key, if it serves the empty set
};

/// Keys by priority, highest first.
export struct key_overview {
  std::vector<layer_overview> layers;
  std::vector<backend> backends;
  std::vector<alias_overview> aliases;
};

}  // namespace inspect

/// The same in every process, except for the names of private backends.
export inspect::key_overview describe_keys();

/// Human-readable: one line per functionality, backend and alias.
export std::string to_string(const inspect::key_overview& all);

}  // namespace topbit
