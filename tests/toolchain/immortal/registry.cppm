// A registry made by new behind a function-local static, with a constinit lock, serves initialisers that run before
// any other and destructors that run last, because it is never destroyed.
module;
#include <mutex>
export module fact.immortal;

export class registry {
 public:
  void add();
  int count();

 private:
  int count_ = 0;
};
inline constinit std::mutex lock;

export inline registry& process_registry() {
  static registry& instance = *new registry;
  return instance;
}
void registry::add() {
  const std::lock_guard<std::mutex> held(lock);
  ++count_;
}
int registry::count() {
  const std::lock_guard<std::mutex> held(lock);
  return count_;
}
