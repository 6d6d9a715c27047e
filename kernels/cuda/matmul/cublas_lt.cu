// Matrix products by cuBLASLt. The library is loaded at the first product, so that a program starts on machines
// without it. With the environment variable TOPBIT_CUDA_LIBRARY=off, this project's kernels compute every product.
//
// cuBLASLt is column-major: it computes C^T = B^T A^T, which is the same memory as the row-major C. Its choice of an
// algorithm is cached by every parameter that the choice depends on.
#include "matmul/cublas_lt.cuh"

#include <cublasLt.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <mutex>
#include <optional>
#include <unordered_map>

#include "runtime/device.cuh"

namespace tb_cuda {
namespace {

constexpr uint64_t most_workspace = uint64_t(32) << 20;

struct functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmul) multiply;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtMatmulDescInit_internal) describe;
  decltype(&cublasLtMatmulDescSetAttribute) set;
  decltype(&cublasLtMatrixLayoutInit_internal) lay_out;
  decltype(&cublasLtMatrixLayoutSetAttribute) set_layout;
  decltype(&cublasLtMatmulPreferenceInit_internal) prefer;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
};

template <typename F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

// Null if the library cannot be loaded or is switched off.
const functions* load() {
  static functions all;
  const char* const wanted = getenv("TOPBIT_CUDA_LIBRARY");
  if (wanted != nullptr && strcmp(wanted, "off") == 0) return nullptr;
  // By versioned name: the layout of descriptors is that of this header's major version.
  static const char* const paths[] = {"libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so.13",
                                      "/usr/local/cuda-13/lib64/libcublasLt.so.13"};
  void* library = nullptr;
  for (const char* path : paths) {
    if (library == nullptr) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  const bool whole = library != nullptr && find(library, "cublasLtCreate", all.create) &&
                     find(library, "cublasLtMatmul", all.multiply) &&
                     find(library, "cublasLtMatmulAlgoGetHeuristic", all.choose) &&
                     find(library, "cublasLtMatmulDescInit_internal", all.describe) &&
                     find(library, "cublasLtMatmulDescSetAttribute", all.set) &&
                     find(library, "cublasLtMatrixLayoutInit_internal", all.lay_out) &&
                     find(library, "cublasLtMatrixLayoutSetAttribute", all.set_layout) &&
                     find(library, "cublasLtMatmulPreferenceInit_internal", all.prefer) &&
                     find(library, "cublasLtMatmulPreferenceSetAttribute", all.set_preference);
  return whole ? &all : nullptr;
}

// The library may allocate memory and load code, which the default capture mode of this thread forbids.
class outside_capture {
 public:
  outside_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  outside_capture(const outside_capture&) = delete;
  outside_capture& operator=(const outside_capture&) = delete;
  ~outside_capture() { cudaThreadExchangeStreamCaptureMode(&mode_); }

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

// A matrix as cuBLASLt describes it. `ld` is 0 if the strides are unsupported.
struct matrix {
  int64_t ld;
  bool transposed;
};

// A matrix [rows][cols] whose rows, or whose columns, are contiguous.
matrix seen(int64_t rows, int64_t cols, int64_t row, int64_t col) {
  if ((col == 1 || cols == 1) && (rows == 1 || row >= cols)) return {rows == 1 ? cols : row, false};
  if ((row == 1 || rows == 1) && (cols == 1 || col >= rows)) return {cols == 1 ? rows : col, true};
  return {0, false};
}

// The key of the plan cache: everything that the heuristic depends on, compared by memcmp, so without padding bytes.
struct problem {
  int64_t m, n, k, batch;
  int64_t a_ld, a_transposed, a_batch, b_ld, b_transposed, b_batch, c_ld, c_batch, d_ld, d_batch;
  int64_t dtype, out_dtype, adds, biased, bias_batch;
  int64_t a_alignment, b_alignment, c_alignment, d_alignment, bias_alignment;
  int64_t device;

  bool operator==(const problem& other) const { return memcmp(this, &other, sizeof other) == 0; }
};
static_assert(sizeof(problem) % sizeof(int64_t) == 0);

struct hash_of_problem {
  size_t operator()(const problem& p) const {
    uint64_t words[sizeof(problem) / sizeof(uint64_t)], hash = 0xcbf29ce484222325;
    memcpy(words, &p, sizeof p);
    for (const uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    return size_t(hash);
  }
};

// Descriptors and algorithm for a problem; trivially copyable.
struct plan {
  cublasLtMatmulDescOpaque_t product;
  cublasLtMatrixLayoutOpaque_t a, b, c, d;
  cublasLtMatmulAlgo_t algorithm;
  size_t workspace;
  bool usable;
};

int64_t alignment(const void* p) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(p), lowest = address & (~address + 1);
  return p == nullptr || lowest > 256 ? 256 : int64_t(lowest);
}

bool describe(const tb_matmul& p, int device, problem& out) {
  const matrix a = seen(p.m, p.k, p.a_row, p.a_col), b = seen(p.k, p.n, p.b_row, p.b_col),
               d = seen(p.m, p.n, p.out_row, p.out_col);
  const bool adds = p.added != nullptr, biased = adds && p.added_row == 0 && p.added_col == 1 && p.beta.f == 1;
  const matrix c = adds && !biased ? seen(p.m, p.n, p.added_row, p.added_col) : d;
  const bool fits = p.m <= INT32_MAX && p.n <= INT32_MAX && p.k <= INT32_MAX && p.batch <= INT32_MAX;
  if (!fits || a.ld == 0 || b.ld == 0 || c.ld == 0 || d.ld == 0 || d.transposed || c.transposed) return false;
  if (p.m < 2 || p.n < 2 || p.k < 1 || p.activation >= 0 || p.alpha.f == 0 || (adds && p.beta.f == 0)) return false;
  const bool several = p.batch > 1;
  const void* const c_data = adds && !biased ? p.added : p.out;
  out = {p.m,
         p.n,
         p.k,
         p.batch,
         a.ld,
         a.transposed,
         several ? p.a_batch : 0,
         b.ld,
         b.transposed,
         several ? p.b_batch : 0,
         c.ld,
         !several          ? 0
         : adds && !biased ? p.added_batch
                           : p.out_batch,
         d.ld,
         several ? p.out_batch : 0,
         p.dtype,
         p.out_dtype,
         adds && !biased,
         biased,
         biased && several ? p.added_batch : 0,
         alignment(p.a),
         alignment(p.b),
         alignment(c_data),
         alignment(p.out),
         biased ? alignment(p.added) : 0,
         device};
  return true;
}

cudaDataType type_of(int64_t dtype) {
  switch (dtype) {
    case TB_F16: return CUDA_R_16F;
    case TB_BF16: return CUDA_R_16BF;
    case TB_F32: return CUDA_R_32F;
    default: return CUDA_R_64F;
  }
}

class chooser {
 public:
  chooser(const functions& f, const problem& p) : f_(f), p_(p) {}

  plan choose(cublasLtHandle_t handle, const void* bias) {
    plan made{};
    const bool wide = p_.dtype == TB_F64;
    const cudaDataType in = type_of(p_.dtype), out = type_of(p_.out_dtype);
    note(f_.describe(&made.product, sizeof made.product, wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F,
                     wide ? CUDA_R_64F : CUDA_R_32F));
    set(made, CUBLASLT_MATMUL_DESC_TRANSA, int32_t(p_.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    set(made, CUBLASLT_MATMUL_DESC_TRANSB, int32_t(p_.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N));
    if (p_.biased != 0) {
      set(made, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
      set(made, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, int32_t(out));
      set(made, CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE, p_.bias_batch);
      set(made, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    }
    lay_out(made.a, in, p_.b_transposed ? p_.k : p_.n, p_.b_transposed ? p_.n : p_.k, p_.b_ld, p_.b_batch);
    lay_out(made.b, in, p_.a_transposed ? p_.m : p_.k, p_.a_transposed ? p_.k : p_.m, p_.a_ld, p_.a_batch);
    lay_out(made.c, out, p_.n, p_.m, p_.c_ld, p_.c_batch);
    lay_out(made.d, out, p_.n, p_.m, p_.d_ld, p_.d_batch);

    cublasLtMatmulPreferenceOpaque_t preference;
    note(f_.prefer(&preference, sizeof preference));
    prefer(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, most_workspace);
    // Partial sums of split-K are not rounded to 16 bits.
    prefer(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, uint32_t(p_.b_alignment));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, uint32_t(p_.a_alignment));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, uint32_t(p_.c_alignment));
    prefer(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, uint32_t(p_.d_alignment));
    if (!good_) return made;

    cublasLtMatmulHeuristicResult_t found{};
    int count = 0;
    note(f_.choose(handle, &made.product, &made.a, &made.b, &made.c, &made.d, &preference, 1, &found, &count));
    made.usable = good_ && count > 0 && found.state == CUBLAS_STATUS_SUCCESS;
    made.algorithm = found.algo;
    made.workspace = found.workspaceSize;
    return made;
  }

 private:
  void note(cublasStatus_t status) { good_ = good_ && status == CUBLAS_STATUS_SUCCESS; }
  template <typename T>
  void set(plan& made, cublasLtMatmulDescAttributes_t which, const T& value) {
    note(f_.set(&made.product, which, &value, sizeof value));
  }
  template <typename T>
  void prefer(cublasLtMatmulPreferenceOpaque_t& to, cublasLtMatmulPreferenceAttributes_t which, const T& value) {
    note(f_.set_preference(&to, which, &value, sizeof value));
  }
  // `rows` and `cols` are column-major.
  void lay_out(cublasLtMatrixLayoutOpaque_t& to, cudaDataType type, int64_t rows, int64_t cols, int64_t ld,
               int64_t step) {
    const auto count = int32_t(p_.batch);
    note(f_.lay_out(&to, sizeof to, type, uint64_t(rows), uint64_t(cols), ld));
    note(f_.set_layout(&to, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count));
    note(f_.set_layout(&to, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step));
  }

  const functions& f_;
  const problem& p_;
  bool good_ = true;
};

// The handles and cached plans of all devices.
class library {
 public:
  static library* get() {
    static const functions* const found = load();
    static library* const one = found != nullptr ? new library(*found) : nullptr;
    return one;
  }

  const functions& calls() const { return f_; }

  // Null if the library does not work on this device.
  cublasLtHandle_t handle(int device) {
    if (device >= most_devices) return nullptr;
    const std::lock_guard<std::mutex> held(lock_);
    if (!tried_[device]) {
      tried_[device] = true;
      if (f_.create(&handles_[device]) != CUBLAS_STATUS_SUCCESS) handles_[device] = nullptr;
    }
    return handles_[device];
  }

  plan plan_for(cublasLtHandle_t handle, const problem& p, const void* bias) {
    {
      const std::lock_guard<std::mutex> held(lock_);
      const auto found = plans_.find(p);
      if (found != plans_.end()) return found->second;
    }
    const plan made = chooser(f_, p).choose(handle, bias);
    const std::lock_guard<std::mutex> held(lock_);
    // Bounds the cache when shapes never repeat.
    if (plans_.size() >= most_plans) plans_.clear();
    plans_[p] = made;
    return made;
  }

  void forget(const problem& p) {
    const std::lock_guard<std::mutex> held(lock_);
    plans_[p].usable = false;
  }

 private:
  static constexpr size_t most_plans = 4096;

  explicit library(const functions& f) : f_(f) {}

  const functions& f_;
  std::mutex lock_;
  cublasLtHandle_t handles_[most_devices] = {};
  bool tried_[most_devices] = {};
  std::unordered_map<problem, plan, hash_of_problem> plans_;
};

}  // namespace

bool has_library() { return library::get() != nullptr; }

library_answer multiply_by_library(const scope& on, const tb_matmul& p) {
  constexpr library_answer not_done = {TB_OK, false};
  problem what;
  if (p.dtype == TB_I64 || !describe(p, on.device(), what)) return not_done;
  library* const lib = library::get();
  if (lib == nullptr) return not_done;
  const outside_capture now;
  const cublasLtHandle_t handle = lib->handle(on.device());
  if (handle == nullptr) return not_done;
  plan how = lib->plan_for(handle, what, p.added);
  if (!how.usable) return not_done;
  if (what.biased != 0) {
    lib->calls().set(&how.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &p.added, sizeof p.added);
  }
  std::optional<temporary> workspace;
  if (how.workspace != 0 && workspace.emplace(on, how.workspace).status() != TB_OK) return {workspace->status(), false};
  const float alpha = float(p.alpha.f), beta = what.adds != 0 ? float(p.beta.f) : 0.0f;
  const double wide_alpha = p.alpha.f, wide_beta = what.adds != 0 ? p.beta.f : 0.0;
  const bool wide = p.dtype == TB_F64;
  const cublasStatus_t status = lib->calls().multiply(
      handle, &how.product, wide ? static_cast<const void*>(&wide_alpha) : &alpha, p.b, &how.a, p.a, &how.b,
      wide ? static_cast<const void*>(&wide_beta) : &beta, what.adds != 0 ? p.added : p.out, &how.c, p.out, &how.d,
      &how.algorithm, workspace.has_value() ? workspace->data() : nullptr, how.workspace, on.stream());
  if (status == CUBLAS_STATUS_SUCCESS) return {TB_OK, true};
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) {
    lib->forget(what);
    return not_done;
  }
  const cudaError_t error = cudaGetLastError();
  return {error != cudaSuccess ? fail(error, "cublasLtMatmul") : refuse("matmul: cublasLtMatmul failed"), false};
}

}  // namespace tb_cuda
