// CUDA reductions over the middle of a dense [outer][length][inner] input, by CUB: sum and argmax.
//
// The one file that includes Thrust and CUB, and the slowest to compile. Both are deterministic here: CUB combines in
// an order that the sizes decide. Floats are summed in double, which costs nothing where memory is the limit.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include <limits>
#include <type_traits>

#include "launch.cuh"

namespace tb_cuda {
namespace {

namespace cub = THRUST_CUB_WRAPPED_NAMESPACE::cub;
namespace thrust = THRUST_CUB_WRAPPED_NAMESPACE::thrust;

using byte = uint8_t;

// Element i of the runs laid end to end.
template <typename T>
struct element_of_run {
  const T* in;
  int64_t length, inner;

  __device__ T operator()(int64_t i) const {
    if (inner == 1) return in[i];
    const int64_t run = i / length;
    return in[(run / inner * length + i % length) * inner + run % inner];
  }
};

template <typename T, typename Total>
struct widened {
  element_of_run<T> element;
  __device__ Total operator()(int64_t i) const { return static_cast<Total>(element(i)); }
};

template <typename Total>
struct plus {
  __device__ Total operator()(Total a, Total b) const { return a + b; }
};

template <typename T>
struct placed {
  T value;
  int64_t place;
};

template <typename T>
struct placed_element {
  element_of_run<T> element;
  __device__ placed<T> operator()(int64_t i) const { return {element(i), i % element.length}; }
};

// NaN above all numbers; of equals, and of NaNs, the first. Commutative, since the place decides ties.
template <typename T>
struct greater_or_first {
  __device__ placed<T> operator()(placed<T> a, placed<T> b) const {
    const bool a_nan = a.value != a.value;
    const bool b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? a : b;
    if (!a_nan && a.value != b.value) return a.value > b.value ? a : b;
    return a.place < b.place ? a : b;
  }
};

template <typename T>
__global__ void keep_places(int64_t runs, const placed<T>* from, int64_t* to) {
  for (int64_t i = first_index(); i < runs; i += index_step()) to[i] = from[i].place;
}

struct run_start {
  int64_t length;
  __host__ __device__ int64_t operator()(int64_t run) const { return run * length; }
};

// CUB asks for the size of its working memory in a first call and does the work in a second.
template <typename Call>
tb_status with_workspace(cudaStream_t stream, Call call) {
  size_t bytes = 0;
  if (const tb_status status = check(call(nullptr, bytes), "size of a reduction"); status != TB_OK) return status;
  const temporary workspace(bytes, stream);
  if (workspace.status() != TB_OK) return workspace.status();
  return check(call(workspace.data(), bytes), "reduction");
}

template <typename In, typename Out, typename Op, typename Init>
tb_status reduce_runs(const tb_reduce& reduce, cudaStream_t stream, In in, Out out, Op op, Init init) {
  const int64_t runs = reduce.outer * reduce.inner;
  const auto values = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), in);
  if (runs == 1) {
    return with_workspace(stream, [&](void* room, size_t& bytes) {
      return cub::DeviceReduce::Reduce(room, bytes, values, out, reduce.length, op, init, stream);
    });
  }
  const auto starts = thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), run_start{reduce.length});
  return with_workspace(stream, [&](void* room, size_t& bytes) {
    return cub::DeviceSegmentedReduce::Reduce(room, bytes, values, out, runs, starts, starts + 1, op, init, stream);
  });
}

template <typename T>
element_of_run<T> elements_of(const tb_reduce& reduce) {
  return {static_cast<const T*>(reduce.in), reduce.length, reduce.inner};
}

template <typename T, typename Total, typename Result>
tb_status sum_as(const tb_reduce& reduce, void* stream) {
  if (reduce.outer * reduce.inner <= 0) return TB_OK;
  const device_scope scope = device_scope::of(reduce.out);
  if (scope.status() != TB_OK) return scope.status();
  return reduce_runs(reduce, stream_of(stream), widened<T, Total>{elements_of<T>(reduce)},
                     static_cast<Result*>(reduce.out), plus<Total>(), Total(0));
}

template <typename T>
tb_status argmax_as(const tb_reduce& reduce, void* stream_pointer) {
  const int64_t runs = reduce.outer * reduce.inner;
  if (runs <= 0) return TB_OK;
  const device_scope scope = device_scope::of(reduce.out);
  if (scope.status() != TB_OK) return scope.status();
  const cudaStream_t stream = stream_of(stream_pointer);
  const temporary greatest(static_cast<uint64_t>(runs) * sizeof(placed<T>), stream);
  if (greatest.status() != TB_OK) return greatest.status();
  constexpr T lowest =
      std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  auto* const found = static_cast<placed<T>*>(greatest.data());
  const tb_status status = reduce_runs(reduce, stream, placed_element<T>{elements_of<T>(reduce)}, found,
                                       greater_or_first<T>(), placed<T>{lowest, INT64_MAX});
  if (status != TB_OK) return status;
  keep_places<<<grid_for(runs), block_threads, 0, stream>>>(runs, found, static_cast<int64_t*>(reduce.out));
  return after_launch("argmax kernel");
}

}  // namespace

tb_status sum(const tb_reduce* reduce, void* stream) {
  switch (reduce->dtype) {
    case TB_BOOL: return sum_as<byte, uint64_t, uint64_t>(*reduce, stream);
    case TB_I64: return sum_as<int64_t, uint64_t, uint64_t>(*reduce, stream);  // unsigned: it wraps
    case TB_F32: return sum_as<float, double, float>(*reduce, stream);
    case TB_F64: return sum_as<double, double, double>(*reduce, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

tb_status argmax(const tb_reduce* reduce, void* stream) {
  switch (reduce->dtype) {
    case TB_BOOL: return argmax_as<byte>(*reduce, stream);
    case TB_I64: return argmax_as<int64_t>(*reduce, stream);
    case TB_F32: return argmax_as<float>(*reduce, stream);
    case TB_F64: return argmax_as<double>(*reduce, stream);
    default: return TB_UNSUPPORTED_DTYPE;
  }
}

}  // namespace tb_cuda
