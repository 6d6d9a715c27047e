// In a named module a member defined in its class is not implicitly inline: a one-line accessor becomes a real call in
// every importer. What is hot says constexpr or inline (both checked on the object code of calls.cpp).
export module fact.members;

export class box {
 public:
  int plain() const { return value_; }
  constexpr int hot() const { return value_; }

 private:
  int value_ = 1;
};
