#include "../check.h"

import fact.immortal;

struct user {
  user() { process_registry().add(); }
  ~user() {
    process_registry().add();
    if (process_registry().count() != 3) std::_Exit(1);
  }
};
[[gnu::init_priority(200)]] static const user first;

int main() { process_registry().add(); }
