// Tiled matrix products on CUDA cores. A block computes a tile of the result from slices of a and b in shared
// memory; each of its 16 x 16 threads accumulates Side x Side elements in registers. The next slice is loaded while
// the current one is multiplied. If the tiles are too few for the device, the depth is split into parts (split-K),
// which finish_parts adds.
#include "matmul/tiled.cuh"

#include "matmul/epilogue.cuh"

namespace tb_cuda {
namespace {

constexpr int side_threads = 16;
constexpr int threads = side_threads * side_threads;
constexpr int slice = 16;
constexpr int64_t most_batch_blocks = 65535;

template <typename E>
struct product_of {
  using T = sum_of<E>;

  const E* a;
  const E* b;
  int64_t m, n, k, batch;
  int64_t a_row, a_col, a_batch, b_row, b_col, b_batch;
  int64_t tiles, column_tiles, part_depth;
  bool a_along_depth, b_along_depth;
  sums_of_parts<T> sums;
};

template <typename T, int Count>
struct alignas(sizeof(T) * Count) neighbours {
  T at[Count];
};

// A thread's elements of the slices of one operand: lines of the tile (rows of a, columns of b) times depth.
// Neighbouring threads read along the contiguous dimension.
template <typename E, int Tile>
struct slice_reader {
  using T = sum_of<E>;
  static constexpr int loads = Tile * slice / threads;

  const E* at;
  int64_t step, advance, lines, depth;  // remaining lines and depth, from this thread's first element
  int line, depth_index, line_step, depth_step;

  __device__ slice_reader(const E* first, int64_t line_stride, int64_t depth_stride, int64_t lines_left,
                          int64_t depth_left, bool along_depth) {
    const int thread = int(threadIdx.x);
    line = along_depth ? thread / slice : thread % Tile;
    depth_index = along_depth ? thread % slice : thread / Tile;
    line_step = along_depth ? threads / slice : 0;
    depth_step = along_depth ? 0 : threads / Tile;
    at = first + line * line_stride + depth_index * depth_stride;
    step = line_step * line_stride + depth_step * depth_stride;
    advance = slice * depth_stride;
    lines = lines_left - line;
    depth = depth_left - depth_index;
  }

  __device__ void next(T (&to)[loads]) {
#pragma unroll
    for (int i = 0; i < loads; ++i) {
      to[i] = i * line_step < lines && i * depth_step < depth ? T(to_compute<compute_of<E>>(at[i * step])) : T(0);
    }
    at += advance;
    depth -= slice;
  }

  template <int Pitch>
  __device__ void put(const T (&from)[loads], T (&to)[slice][Pitch]) const {
#pragma unroll
    for (int i = 0; i < loads; ++i) to[depth_index + i * depth_step][line + i * line_step] = from[i];
  }
};

template <typename E, int Side>
__global__ void __launch_bounds__(threads, Side == 8 ? 2 : 1) multiply_tiles(product_of<E> p) {
  using T = sum_of<E>;
  constexpr int tile = side_threads * Side;
  constexpr int group = Side < 16 / int(sizeof(T)) ? Side : 16 / int(sizeof(T));  // elements per shared-memory load
  constexpr int groups = Side / group;
  // Padded against bank conflicts between neighbours of the depth.
  __align__(16) __shared__ T a_slice[slice][tile + 4];
  __align__(16) __shared__ T b_slice[slice][tile + 4];
  const int x = int(threadIdx.x) % side_threads, y = int(threadIdx.x) / side_threads;
  const int64_t part = blockIdx.x / p.tiles, here = blockIdx.x % p.tiles;
  const int64_t row = here / p.column_tiles * tile, column = here % p.column_tiles * tile;
  const int64_t first = part * p.part_depth;
  const int64_t depth = p.k - first < p.part_depth ? p.k - first : p.part_depth;
  for (int64_t at = blockIdx.y; at < p.batch; at += gridDim.y) {
    slice_reader<E, tile> a(p.a + at * p.a_batch + row * p.a_row + first * p.a_col, p.a_row, p.a_col, p.m - row, depth,
                            p.a_along_depth);
    slice_reader<E, tile> b(p.b + at * p.b_batch + column * p.b_col + first * p.b_row, p.b_col, p.b_row, p.n - column,
                            depth, p.b_along_depth);
    T sum[Side][Side] = {};
    T next_a[slice_reader<E, tile>::loads], next_b[slice_reader<E, tile>::loads];
    if (depth > 0) {
      a.next(next_a);
      b.next(next_b);
    }
    for (int64_t done = 0; done < depth; done += slice) {
      a.put(next_a, a_slice);
      b.put(next_b, b_slice);
      __syncthreads();
      if (done + slice < depth) {
        a.next(next_a);
        b.next(next_b);
      }
#pragma unroll(Side == 8 ? 4 : slice)
      for (int d = 0; d < slice; ++d) {
        neighbours<T, group> left[groups], right[groups];
#pragma unroll
        for (int g = 0; g < groups; ++g) {
          left[g] = *reinterpret_cast<const neighbours<T, group>*>(&a_slice[d][(g * side_threads + y) * group]);
          right[g] = *reinterpret_cast<const neighbours<T, group>*>(&b_slice[d][(g * side_threads + x) * group]);
        }
#pragma unroll
        for (int i = 0; i < Side; ++i) {
#pragma unroll
          for (int j = 0; j < Side; ++j) {
            sum[i][j] += left[i / group].at[i % group] * right[j / group].at[j % group];
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < Side; ++i) {
      const int64_t r = row + (i / group * side_threads + y) * group + i % group;
      if (r >= p.m) continue;
#pragma unroll
      for (int j = 0; j < Side; ++j) {
        const int64_t c = column + (j / group * side_threads + x) * group + j % group;
        if (c < p.n) p.sums(part, at, r, c, sum[i][j]);
      }
    }
  }
}

// Matrix-vector product: the result has one row or one column. A line is a row or a column of the matrix.
template <typename E>
struct lines_call {
  using T = sum_of<E>;

  const E* matrix;
  const E* vector;
  int64_t lines, depth, batch;
  int64_t line_step, depth_step, matrix_batch, vector_step, vector_batch;
  int64_t blocks, part_depth;
  bool along_depth;  // a warp reads along one line, else across 32 lines
  bool column;       // the result is a column
  sums_of_parts<T> sums;
};

template <typename E>
__device__ sum_of<E> product_at(const E* a, const E* b) {
  return sum_of<E>(to_compute<compute_of<E>>(*a)) * sum_of<E>(to_compute<compute_of<E>>(*b));
}

template <typename E>
__global__ void __launch_bounds__(threads) multiply_lines(lines_call<E> p) {
  using T = sum_of<E>;
  constexpr int warps = threads / 32, unroll = 4;
  __shared__ T sums[threads];
  const int thread = int(threadIdx.x);
  const int line = p.along_depth ? thread / 32 : thread % 32, lines = p.along_depth ? warps : 32;
  const int lane = p.along_depth ? thread % 32 : thread / 32, lanes = p.along_depth ? 32 : warps;
  const int64_t part = blockIdx.x / p.blocks, at_line = blockIdx.x % p.blocks * lines + line;
  const int64_t first = part * p.part_depth;
  const int64_t end = p.depth - first < p.part_depth ? p.depth : first + p.part_depth;
  for (int64_t at = blockIdx.y; at < p.batch; at += gridDim.y) {
    T sum[unroll] = {};
    if (at_line < p.lines) {
      const E* const matrix = p.matrix + at * p.matrix_batch + at_line * p.line_step;
      const E* const vector = p.vector + at * p.vector_batch;
      int64_t d = first + lane;
      for (; d + (unroll - 1) * lanes < end; d += unroll * lanes) {
#pragma unroll
        for (int i = 0; i < unroll; ++i) {
          const int64_t here = d + i * lanes;
          sum[i] += product_at(matrix + here * p.depth_step, vector + here * p.vector_step);
        }
      }
      for (; d < end; d += lanes) sum[0] += product_at(matrix + d * p.depth_step, vector + d * p.vector_step);
    }
    sums[thread] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    __syncthreads();
    if (lane == 0 && at_line < p.lines) {
      T total = 0;
      for (int i = 0; i < lanes; ++i) total += sums[p.along_depth ? line * 32 + i : i * 32 + line];
      p.sums(part, at, p.column ? at_line : 0, p.column ? 0 : at_line, total);
    }
    __syncthreads();
  }
}

// Blocks of 64 x 4 threads over columns and rows; the rows of all matrices of the batch are counted together.
template <typename T>
__global__ void finish_parts(const T* sums, int64_t parts, int64_t m, int64_t n, int64_t batch, epilogue<T> end) {
  for (int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y; row < batch * m;
       row += int64_t(gridDim.y) * blockDim.y) {
    const int64_t at = row / m;
    for (int64_t column = first_index(); column < n; column += index_step()) {
      T sum = sums[row * n + column];
      for (int64_t part = 1; part < parts; ++part) sum += sums[(part * batch * m + row) * n + column];
      end(at, row - at * m, column, sum);
    }
  }
}

template <typename T>
__global__ void activate(int64_t m, int64_t n, int64_t batch, epilogue<T> end) {
  for (int64_t row = int64_t(blockIdx.y) * blockDim.y + threadIdx.y; row < batch * m;
       row += int64_t(gridDim.y) * blockDim.y) {
    const int64_t at = row / m, first = at * end.out_batch + (row - at * m) * end.out_row;
    for (int64_t column = first_index(); column < n; column += index_step()) {
      const int64_t i = first + column * end.out_col;
      store_result(end.out, end.dtype, i, activated(end.activation, load_result<T>(end.out, end.dtype, i)));
    }
  }
}

int64_t parts_of(int64_t n, int64_t of) { return (n + of - 1) / of; }

constexpr dim3 element_threads(64, 4);

dim3 grid_over_elements(const tb_matmul& p) {
  const int64_t columns = parts_of(p.n, element_threads.x), rows = parts_of(p.batch * p.m, element_threads.y);
  return {unsigned(columns < 65535 ? columns : 65535), unsigned(rows < 65535 ? rows : 65535)};
}

// The number of parts of the depth. Enough to give each multiprocessor two blocks with parts of at least least_depth;
// and, to bound the rounding error, parts of at most most_depth as far as the buffer of their sums allows.
int64_t depth_parts(const scope& on, const tb_matmul& p, int64_t blocks) {
  constexpr int64_t least_depth = 256, most_depth = 8192, room = int64_t(16) << 20, most = 256;
  const int64_t to_fill = 2 * int64_t(multiprocessors(on)) / blocks, possible = p.k / least_depth;
  const int64_t filled = to_fill < possible ? to_fill : possible;
  const int64_t short_enough = parts_of(p.k, most_depth), fitting = room / (p.batch * p.m * p.n);
  const int64_t exact = short_enough < fitting ? short_enough : fitting;
  const int64_t parts = filled < exact ? exact : filled;
  return parts < 1 ? 1 : parts < most ? parts : most;
}

// Runs a kernel over parts of the depth, and adds the parts if there are several.
template <typename Call, typename E>
tb_status run_in_parts(const scope& on, const tb_matmul& p, void (*kernel)(Call), Call& call, int64_t blocks,
                       element_type<E>) {
  using T = sum_of<E>;
  const int64_t batch_blocks = p.batch < most_batch_blocks ? p.batch : most_batch_blocks;
  const int64_t wanted = depth_parts(on, p, blocks * p.batch);
  // Parts are whole slices.
  const int64_t each = p.k > 0 ? parts_of(parts_of(p.k, wanted), slice) * slice : slice;
  const int64_t parts = p.k > 0 ? parts_of(p.k, each) : 1;
  if (blocks * parts > INT32_MAX) return refuse("matmul: found a result with more tiles than a grid has");
  call.part_depth = each;
  call.sums = {nullptr, p.m, p.n, p.batch, epilogue<T>(p)};
  const dim3 grid(unsigned(blocks * parts), unsigned(batch_blocks));
  if (parts == 1) return launch(on, "matmul", kernel, grid, threads, 0, call);
  const temporary memory(on, uint64_t(parts * p.batch * p.m * p.n) * sizeof(T));
  if (memory.status() != TB_OK) return memory.status();
  call.sums.to = memory.as<T>();
  const tb_status status = launch(on, "matmul", kernel, grid, threads, 0, call);
  return status != TB_OK ? status : finish_sums(on, p, memory.data(), parts);
}

template <typename E, int Side>
tb_status in_tiles(const scope& on, const tb_matmul& p) {
  constexpr int tile = side_threads * Side;
  product_of<E> call{static_cast<const E*>(p.a),
                     static_cast<const E*>(p.b),
                     p.m,
                     p.n,
                     p.k,
                     p.batch,
                     p.a_row,
                     p.a_col,
                     p.a_batch,
                     p.b_row,
                     p.b_col,
                     p.b_batch,
                     parts_of(p.m, tile) * parts_of(p.n, tile),
                     parts_of(p.n, tile),
                     0,
                     p.a_col == 1,
                     p.b_row == 1 && p.b_col != 1,
                     {}};
  return run_in_parts(on, p, &multiply_tiles<E, Side>, call, call.tiles, element_type<E>());
}

template <typename E>
tb_status in_lines(const scope& on, const tb_matmul& p) {
  const bool column = p.n == 1;
  lines_call<E> call{};
  call.column = column;
  call.matrix = static_cast<const E*>(column ? p.a : p.b);
  call.vector = static_cast<const E*>(column ? p.b : p.a);
  call.lines = column ? p.m : p.n;
  call.depth = p.k;
  call.batch = p.batch;
  call.line_step = column ? p.a_row : p.b_col;
  call.depth_step = column ? p.a_col : p.b_row;
  call.matrix_batch = column ? p.a_batch : p.b_batch;
  call.vector_step = column ? p.b_row : p.a_col;
  call.vector_batch = column ? p.b_batch : p.a_batch;
  call.along_depth = call.depth_step == 1 || call.lines == 1 || call.line_step != 1;
  call.blocks = parts_of(call.lines, call.along_depth ? threads / 32 : 32);
  return run_in_parts(on, p, &multiply_lines<E>, call, call.blocks, element_type<E>());
}

template <typename E>
tb_status multiply(const scope& on, const tb_matmul& p) {
  if (p.m == 1 || p.n == 1) return in_lines<E>(on, p);
  const auto blocks = [&](int64_t tile) { return parts_of(p.m, tile) * parts_of(p.n, tile) * p.batch; };
  const int64_t enough = multiprocessors(on);
  if constexpr (sizeof(sum_of<E>) == 4) {
    if (p.m > 64 && p.n > 64 && blocks(128) >= enough) return in_tiles<E, 8>(on, p);
  }
  if (p.m > 32 && p.n > 32 && 2 * blocks(64) >= enough) return in_tiles<E, 4>(on, p);
  return in_tiles<E, 2>(on, p);
}

}  // namespace

tb_status multiply_in_tiles(const scope& on, const tb_matmul& p) {
  switch (p.dtype) {
    case TB_I64: return multiply<int64_t>(on, p);
    case TB_F16: return multiply<half>(on, p);
    case TB_BF16: return multiply<bfloat16>(on, p);
    case TB_F32: return multiply<float>(on, p);
    default: return multiply<double>(on, p);
  }
}

tb_status finish_sums(const scope& on, const tb_matmul& p, const void* sums, int64_t parts) {
  const auto run = [&]<typename T>(element_type<T>) {
    return launch(on, "matmul", &finish_parts<T>, grid_over_elements(p), element_threads, 0,
                  static_cast<const T*>(sums), parts, p.m, p.n, p.batch, epilogue<T>(p));
  };
  if (p.dtype == TB_I64) return run(element_type<uint64_t>());
  return p.dtype == TB_F64 ? run(element_type<double>()) : run(element_type<float>());
}

tb_status activate_result(const scope& on, const tb_matmul& p) {
  const auto run = [&]<typename T>(element_type<T>) {
    return launch(on, "matmul", &activate<T>, grid_over_elements(p), element_threads, 0, p.m, p.n, p.batch,
                  epilogue<T>(p));
  };
  if (p.dtype == TB_I64) return run(element_type<uint64_t>());
  return p.dtype == TB_F64 ? run(element_type<double>()) : run(element_type<float>());
}

}  // namespace tb_cuda
