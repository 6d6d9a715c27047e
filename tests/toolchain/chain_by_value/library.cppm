// A chain of calls which hands one object on by value can initialise a namespace-scope `const auto`: what was
// registered stays until the object goes, once, and nothing was withdrawn on the way.
export module fact.library;

export extern constinit int live, withdrawn;

export class library {
 public:
  explicit library(const char*) noexcept {}
  library(library&& from) noexcept : rows_(from.rows_) { from.rows_ = 0; }
  ~library() {
    live -= rows_;
    withdrawn += rows_;
  }
  template <auto Kernel>
  [[nodiscard]] library impl() && noexcept {
    ++rows_;
    ++live;
    return static_cast<library&&>(*this);
  }

 private:
  int rows_ = 0;
};
