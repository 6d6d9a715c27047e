// Error reports of kernels: a device word that decides which thread reports, and a record in host memory.
#include "runtime/report.cuh"

#include <string.h>

#include <mutex>

#include "runtime/device.cuh"

namespace tb_cuda {
namespace {

constexpr int remembered = 1024;
constexpr int name_bytes = 64;

struct ledger {
  std::mutex lock;
  unsigned long long* first = nullptr;
  error_record* host = nullptr;
  error_record* seen_by_device = nullptr;
  uint64_t tickets = 0;
  char name[remembered][name_bytes];
};

ledger& ledger_of(int device) {
  // Leaked on purpose: calls may be made during process exit.
  static ledger* const all = new ledger[most_devices];
  return all[device];
}

bool open(ledger& book) {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  cudaThreadExchangeStreamCaptureMode(&mode);
  const unsigned long long no_ticket = 0;
  void *first = nullptr, *host = nullptr, *seen = nullptr;
  const bool good =
      cudaMalloc(&first, sizeof *book.first) == cudaSuccess &&
      cudaHostAlloc(&host, sizeof *book.host, cudaHostAllocMapped | cudaHostAllocPortable) == cudaSuccess &&
      cudaHostGetDevicePointer(&seen, host, 0) == cudaSuccess &&
      cudaMemcpy(first, &no_ticket, sizeof no_ticket, cudaMemcpyHostToDevice) == cudaSuccess;
  cudaThreadExchangeStreamCaptureMode(&mode);
  if (!good) {
    cudaGetLastError();
    return false;
  }
  book.first = static_cast<unsigned long long*>(first);
  book.host = static_cast<error_record*>(host);
  *book.host = {};
  book.seen_by_device = static_cast<error_record*>(seen);
  return true;
}

}  // namespace

reporter report_for(const scope& on) {
  ledger& book = ledger_of(on.device());
  const std::lock_guard held(book.lock);
  if (book.first == nullptr && !open(book)) return {nullptr, nullptr, 0};
  const uint64_t ticket = ++book.tickets;
  strcpy(book.name[ticket % remembered], called_operator());
  return {book.first, book.seen_by_device, ticket};
}

void take_report(int device, tb_cuda_report* report) {
  *report = {};
  ledger& book = ledger_of(device);
  const std::lock_guard held(book.lock);
  if (book.host == nullptr) return;
  const uint64_t ticket = *static_cast<volatile uint64_t*>(&book.host->ticket);
  if (ticket == 0) return;
  report->status = book.host->status;
  report->which = book.host->which;
  report->value = book.host->value;
  strcpy(report->operator_name,
         ticket + remembered > book.tickets ? book.name[ticket % remembered] : "an earlier call");
  book.host->ticket = 0;
  // From here on kernels may report again, also those of the same launch.
  *static_cast<volatile uint64_t*>(&book.host->taken) = ticket;
}

}  // namespace tb_cuda
