// A header that says nothing of modules but needs one: who includes it imports topbit.core first.
struct pixel {
  topbit::key_set keys;
  int brightness;
};
constexpr topbit::key_set keys_of(const pixel& p) noexcept { return p.keys; }

pixel brighter(const pixel& p);
