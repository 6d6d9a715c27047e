// Made by 'topbit generate' of made.yaml, and checked against it when it is compiled. Do not edit.
// clang-format off
module;

#include "made.yaml.h"

export module tables_test_made;

import topbit.core;
import topbit.tables;
import topbit.tensor;

export namespace made {

inline constexpr topbit::tables::table table{"made", made_yaml, "made.yaml"};

inline constexpr topbit::op<"made::scaled_add(Tensor self, Tensor other, float scale=1.0) -> Tensor"> scaled_add;
inline constexpr topbit::op<"made::label(str text=\"a \\\"b\\\"\", int n=3) -> str"> label;
inline constexpr topbit::op<"made::less.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> less_out;
inline constexpr topbit::op<"made::less(Tensor self, Tensor other) -> Tensor"> less;
inline constexpr topbit::op<"made::less_(Tensor(a!) self, Tensor other) -> Tensor(a!)"> less_;

namespace kernels {

topbit::author::schema_signature<"made::scaled_add(Tensor self, Tensor other, float scale=1.0) -> Tensor"> scaled_add_cpu;
topbit::author::schema_signature<"made::label(str text=\"a \\\"b\\\"\", int n=3) -> str"> label;
topbit::author::schema_signature<"made::less.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)"> less_out;
topbit::author::schema_signature<"made::less(Tensor self, Tensor other) -> Tensor"> less_out_shape;

}  // namespace kernels

using kernel_list = topbit::tables::functions<
    topbit::tables::named<"scaled_add_cpu", &kernels::scaled_add_cpu>,
    topbit::tables::named<"label", &kernels::label>,
    topbit::tables::named<"less_out", &kernels::less_out>,
    topbit::tables::shape<"less.out", &kernels::less_out_shape>>;

static_assert(topbit::tables::check_declarations<table, scaled_add, label, less_out, less, less_>());

}  // namespace made
