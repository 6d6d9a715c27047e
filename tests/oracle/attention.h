// Attention of one query: the mean of values, weighted by the softmax of scores.
#pragma once

#include <cmath>
#include <vector>

#include "rows.h"

namespace oracle {

class attention {
 public:
  /// score(k) of each key; of a hidden one minus infinity.
  template <class Index, class Score>
  attention(Index keys, Score score) {
    for (Index k = 0; k < keys; ++k) weights_.push_back(score(k));
    const exponentials shifted(weights_);
    blind_ = std::isinf(shifted.greatest) && shifted.greatest < 0;
    for (long double& w : weights_) w = blind_ ? 0 : shifted.softmax(w);
  }

  /// True if the query sees no key. Its result is 0.
  bool blind() const { return blind_; }

  /// One column of the result; value(k) is that of each key.
  template <class Value>
  long double mean_of(Value value) const {
    return sum_of(weights_.size(), [&](auto k) { return weights_[k] * value(k); }).value;
  }

 private:
  std::vector<long double> weights_;
  bool blind_ = false;
};

}  // namespace oracle
