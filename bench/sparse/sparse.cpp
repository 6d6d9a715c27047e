// Times of the kernels for sparse tensors, one thread, one line each: the best of several runs, in milliseconds.
//
//   bench_sparse [--isa avx512] [--entries 1000000] [--filter spmm]
//
// The matrix has 10 entries per row on average, at random places. Results are checked in tests/sparse.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sparse_kernels.h"

namespace {

using numbers = std::vector<float>;
using indices = std::vector<std::int64_t>;

struct options {
  std::string isa = "avx512", filter;
  std::int64_t entries = 1'000'000;
};

// Memory of the alignment that tensors have.
struct aligned_free {
  void operator()(float* p) const { std::free(p); }
};
using aligned_numbers = std::unique_ptr<float[], aligned_free>;

aligned_numbers random_numbers(std::int64_t count, std::mt19937& random) {
  const auto bytes = (static_cast<std::size_t>(count) * sizeof(float) + 63) / 64 * 64;
  aligned_numbers result(static_cast<float*>(std::aligned_alloc(64, bytes)));
  for (std::int64_t i = 0; i < count; ++i) {
    result[static_cast<std::size_t>(i)] = static_cast<float>(random() % 1024) / 512 - 1;
  }
  return result;
}

// Milliseconds of this thread: other programs disturb it less than the wall clock.
double processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

class timer {
 public:
  explicit timer(options wanted) : wanted_(std::move(wanted)) {}

  void operator()(const std::string& name, const std::function<void()>& run) const {
    if (name.find(wanted_.filter) == std::string::npos) return;
    double best = 1e9, spent = 0;
    for (int i = 0; i < 5 || (spent < 500 && i < 100); ++i) {
      const double begin = processor_time();
      run();
      const double took = processor_time() - begin;
      best = std::min(best, took);
      spent += took;
    }
    std::printf("%-44s %9.3f ms\n", name.c_str(), best);
    std::fflush(stdout);
  }

 private:
  options wanted_;
};

// A random matrix in COO format, unsorted, and what coalescing makes of it.
struct problem {
  const tb_sparse_kernels& kernels;
  std::int64_t rows, entries;
  indices sizes, coordinates;
  aligned_numbers values;

  std::vector<unsigned char> workspace;
  tb_sort sort{};
  std::int64_t count = 0;
  indices sorted;
  numbers sums;
  std::vector<std::int64_t> compressed, columns;
  std::vector<std::int32_t> compressed_32, columns_32;

  problem(const tb_sparse_kernels& table, std::int64_t rows_wanted, std::int64_t entries_wanted, unsigned seed)
      : kernels(table), rows(rows_wanted), entries(entries_wanted), sizes{rows, rows} {
    std::mt19937 random(seed);
    coordinates.resize(static_cast<std::size_t>(2 * entries));
    for (auto& c : coordinates) c = random() % rows;
    values = random_numbers(entries, random);
    sort.coo = {coordinates.data(), entries, sizes.data(), 2, entries};
    workspace.resize(kernels.sort_workspace(&sort.coo) + 64);
    auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    sort.workspace = reinterpret_cast<void*>((address + 63) / 64 * 64);
    sorted.resize(coordinates.size());
    sums.resize(static_cast<std::size_t>(entries));
    compressed.resize(static_cast<std::size_t>(rows + 1));
    coalesce();
    columns.assign(sorted.begin() + count, sorted.begin() + 2 * count);
    kernels.rows_to_offsets(sorted.data(), count, rows, TB_I64, compressed.data(), 0, rows);
    compressed_32.assign(compressed.begin(), compressed.end());
    columns_32.assign(columns.begin(), columns.end());
  }

  void coalesce() {
    kernels.sort_begin(&sort);
    kernels.sort_buckets(&sort, 0, TB_SORT_BUCKETS);
    count = kernels.sort_end(&sort);
    const tb_coalesce call{&sort, sorted.data(), count, values.get(), sums.data(), 1, TB_F32, 0};
    kernels.coalesce(&call, 0, TB_SORT_BUCKETS);
  }

  tb_csr csr() const { return {compressed.data(), columns.data(), rows, rows, count, TB_I64, 0}; }
  tb_csr csr_32() const { return {compressed_32.data(), columns_32.data(), rows, rows, count, TB_I32, 0}; }
};

// Prefix sums of counts, as the caller of two-pass kernels computes them.
template <typename I>
std::int64_t add_up(const indices& counts, std::vector<I>& compressed) {
  compressed.assign(counts.size() + 1, 0);
  for (std::size_t row = 0; row < counts.size(); ++row)
    compressed[row + 1] = compressed[row] + static_cast<I>(counts[row]);
  return compressed.back();
}

void formats(const timer& time, problem& p) {
  const auto& k = p.kernels;
  time("check_coo, unsorted", [&] { k.check_coo(&p.sort.coo, 0, p.entries); });
  const tb_coo sorted{p.sorted.data(), p.count, p.sizes.data(), 2, p.count};
  time("check_coo, coalesced", [&] { k.check_coo(&sorted, 0, p.count); });
  const tb_csr a = p.csr(), a_32 = p.csr_32();
  time("check_csr int64", [&] { k.check_csr(&a, 0, p.rows); });
  time("check_csr int32", [&] { k.check_csr(&a_32, 0, p.rows); });
  time("sort, of coalesce", [&] {
    k.sort_begin(&p.sort);
    k.sort_buckets(&p.sort, 0, TB_SORT_BUCKETS);
    k.sort_end(&p.sort);
  });
  time("coalesce", [&] { p.coalesce(); });
  std::vector<std::int64_t> offsets(p.compressed.size()), entries(p.columns.size());
  time("rows_to_offsets",
       [&] { k.rows_to_offsets(p.sorted.data(), p.count, p.rows, TB_I64, offsets.data(), 0, p.rows); });
  time("offsets_to_rows", [&] { k.offsets_to_rows(offsets.data(), TB_I64, entries.data(), 0, p.rows); });
  std::vector<std::int64_t> cursor(p.compressed.size());
  numbers moved(p.sums.size());
  const auto transpose = [&](const tb_csr& m) {
    const tb_transpose call{m, offsets.data(), entries.data(), nullptr, p.sums.data(), moved.data(), cursor.data(), 4};
    k.transpose(&call, 0, p.rows);
  };
  time("transpose int64", [&] { transpose(a); });
  time("transpose int32", [&] { transpose(a_32); });
}

void products(const timer& time, problem& p) {
  const auto& k = p.kernels;
  std::mt19937 random(7);
  const tb_csr a = p.csr(), a_32 = p.csr_32();
  for (const std::int64_t n : {std::int64_t(1), std::int64_t(16), std::int64_t(64), std::int64_t(100)}) {
    const auto dense = random_numbers(p.rows * n, random), out = random_numbers(p.rows * n, random);
    for (const tb_csr& m : {a, a_32}) {
      const std::string what = " " + std::to_string(n) + (m.index == TB_I32 ? " columns, int32" : " columns, int64");
      const tb_spmm call{m, p.sums.data(), dense.get(), out.get(), n, n, n, TB_F32, 0};
      time("spmm" + what, [&] { k.spmm(&call, 0, p.rows); });
      if (n == 64) {
        const tb_spmm_reduce reduce{call, nullptr, TB_SPMM_AMAX, 0};
        time("spmm_reduce amax" + what, [&] { k.spmm_reduce(&reduce, 0, p.rows); });
        numbers at_entries(p.sums.size());
        const tb_sddmm sampled{m, out.get(), dense.get(), at_entries.data(), n, n, n, TB_F32, 0};
        time("sddmm" + what, [&] { k.sddmm(&sampled, 0, p.rows); });
      }
    }
  }
}

void merges(const timer& time, const problem& p, const problem& q) {
  const auto& k = p.kernels;
  const auto n = static_cast<std::size_t>(p.rows);
  indices counts(n);
  for (const std::int32_t index : {TB_I64, TB_I32}) {
    const std::string type = index == TB_I32 ? " int32" : " int64";
    tb_merge call{};
    call.a = index == TB_I32 ? p.csr_32() : p.csr();
    call.b = index == TB_I32 ? q.csr_32() : q.csr();
    call.a_values = p.sums.data();
    call.b_values = q.sums.data();
    call.counts = counts.data();
    call.inner = 1;
    call.alpha = {1, 1};
    call.dtype = TB_F32;
    std::vector<std::int64_t> offsets, columns(static_cast<std::size_t>(p.count + q.count));
    std::vector<std::int32_t> offsets_32;
    numbers sums(columns.size());
    const auto both = [&](auto count, auto fill) {
      count(&call, 0, p.rows);
      if (index == TB_I32) {
        add_up(counts, offsets_32);
        call.compressed = offsets_32.data();
      } else {
        add_up(counts, offsets);
        call.compressed = offsets.data();
      }
      call.plain = columns.data();
      call.values = sums.data();
      fill(&call, 0, p.rows);
    };
    time("csr + csr" + type, [&] { both(k.union_count, k.union_fill); });
    time("csr * csr elementwise" + type, [&] { both(k.intersect_count, k.intersect_fill); });
    time("locate" + type, [&] { k.locate(&call.a, &call.b, columns.data(), 0, p.rows); });
  }
}

// The result has ten times as many entries.
void sparse_product(const timer& time, const tb_sparse_kernels& k, std::int64_t entries) {
  const problem p(k, entries / 10, entries, 3), q(k, entries / 10, entries, 4);
  std::vector<unsigned char> workspace(k.spgemm_workspace(q.rows, TB_F32) + 64);
  void* const memory = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(workspace.data()) + 63) / 64 * 64);
  indices counts(static_cast<std::size_t>(p.rows));
  for (const std::int32_t index : {TB_I64, TB_I32}) {
    tb_spgemm call{};
    call.a = index == TB_I32 ? p.csr_32() : p.csr();
    call.b = index == TB_I32 ? q.csr_32() : q.csr();
    call.a_values = p.sums.data();
    call.b_values = q.sums.data();
    call.counts = counts.data();
    call.dtype = TB_F32;
    std::vector<std::int64_t> offsets, columns;
    std::vector<std::int32_t> offsets_32, columns_32;
    numbers sums;
    time(index == TB_I32 ? "csr x csr int32" : "csr x csr int64", [&] {
      k.spgemm_count(&call, memory, 0, p.rows);
      const std::int64_t total = index == TB_I32 ? add_up(counts, offsets_32) : add_up(counts, offsets);
      sums.resize(static_cast<std::size_t>(total));
      if (index == TB_I32) {
        columns_32.resize(sums.size());
        call.compressed = offsets_32.data();
        call.plain = columns_32.data();
      } else {
        columns.resize(sums.size());
        call.compressed = offsets.data();
        call.plain = columns.data();
      }
      call.values = sums.data();
      k.spgemm_fill(&call, memory, 0, p.rows);
    });
  }
}

void rows(const timer& time, const problem& p) {
  const auto& k = p.kernels;
  numbers out(p.sums.size());
  const tb_row_softmax softmax{p.compressed.data(), p.sums.data(), nullptr, out.data(), TB_I64, TB_F32, 0, 0};
  time("row_softmax", [&] { k.row_softmax(&softmax, 0, p.rows); });
  const tb_row_softmax backward{p.compressed.data(), out.data(), p.sums.data(), out.data(), TB_I64, TB_F32, 0, 0};
  time("row_softmax_backward", [&] { k.row_softmax_backward(&backward, 0, p.rows); });
  const tb_row_sum sum{p.compressed.data(), p.sums.data(), out.data(), 1, TB_I64, TB_F32, TB_F32, 0};
  time("row_sum", [&] { k.row_sum(&sum, 0, p.rows); });
}

}  // namespace

int main(int argc, char** argv) {
  options wanted;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--isa") wanted.isa = argv[i + 1];
    if (name == "--filter") wanted.filter = argv[i + 1];
    if (name == "--entries") wanted.entries = std::atoll(argv[i + 1]);
  }
  const tb_sparse_kernels* const table = tb_sparse_kernels_for(wanted.isa.c_str());
  if (table == nullptr) {
    std::fprintf(stderr,
                 "bench_sparse: found --isa '%s', wanted one that this build and processor have, such as scalar\n",
                 wanted.isa.c_str());
    return 1;
  }
  const timer time(wanted);
  problem p(*table, wanted.entries / 10, wanted.entries, 1);
  const problem q(*table, wanted.entries / 10, wanted.entries, 2);
  formats(time, p);
  products(time, p);
  merges(time, p, q);
  sparse_product(time, *table, wanted.entries / 5);
  rows(time, p);
}
