#include "machine.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <utility>

namespace bench {

namespace {

constexpr const char* restarted = "TOPBIT_BENCH_KERNELS";

// libtorch chooses AVX2 on processors it does not know, OpenBLAS kernels for another core.
constexpr std::pair<const char*, const char*> settings[] = {{"ATEN_CPU_CAPABILITY", "avx512"},
                                                            {"OPENBLAS_CORETYPE", "SkylakeX"}};

const cpu_set_t& given_processors() {
  static const cpu_set_t given = [] {
    cpu_set_t found;
    CPU_ZERO(&found);
    sched_getaffinity(0, sizeof found, &found);
    return found;
  }();
  return given;
}

// Libraries have threads of their own, which inherited what was so when they began.
void move_threads(const cpu_set_t& to, bool others_only = false) {
  DIR* tasks = opendir("/proc/self/task");
  if (tasks == nullptr) return;
  while (const dirent* entry = readdir(tasks)) {
    const int id = atoi(entry->d_name);
    if (id > 0 && !(others_only && id == gettid())) sched_setaffinity(id, sizeof to, &to);
  }
  closedir(tasks);
}

int last_processor() {
  int cpu = CPU_SETSIZE - 1;
  while (cpu > 0 && !CPU_ISSET(cpu, &given_processors())) --cpu;
  return cpu;
}

}  // namespace

std::string processor_model() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, family, model, name = "unknown processor";
  while (std::getline(file, line) && !line.empty()) {
    const std::size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    if (line.starts_with("model name")) name = line.substr(colon + 2);
    if (line.starts_with("cpu family")) family = line.substr(colon + 2);
    if (line.starts_with("model\t")) model = line.substr(colon + 2);
  }
  return name + (family.empty() ? "" : ", family " + family + " model " + model);
}

// Of the first processor. sysconf() counts the last level for the whole socket, of which a virtual machine has a part.
std::string cache_sizes() {
  const auto word = [](int index, const char* what) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + what);
    std::string text;
    file >> text;
    return text;
  };
  std::string all;
  for (int index = 0; !word(index, "level").empty(); ++index) {
    if (word(index, "type") == "Instruction") continue;
    all += (all.empty() ? "L" : ", L") + word(index, "level") + " " + word(index, "size");
  }
  return all.empty() ? "unknown" : all;
}

double clock_ghz() {
  constexpr long steps = 2'000'000;
  double best = 0;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto began = std::chrono::steady_clock::now();
    unsigned long x = 1;
    for (long i = 0; i < steps; ++i) {
      x += 3;
      asm volatile("" : "+r"(x));
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    best = std::max(best, static_cast<double>(steps) / took.count() * 1e-9);
  }
  return best;
}

std::string compiler() {
#ifdef __clang__
  return __VERSION__;
#else
  return "gcc " __VERSION__;
#endif
}

void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(last_processor(), &one);
  move_threads(one);
}

void use_all_processors() { move_threads(given_processors()); }

void spread_threads() {
  if (CPU_COUNT(&given_processors()) < 2) return;
  stay_on_one_processor();
  cpu_set_t others = given_processors();
  CPU_CLR(last_processor(), &others);
  move_threads(others, true);
}

bool has_settings() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

void restart_with_settings(char** argv) {
  if (getenv(restarted) != nullptr) return;
  setenv(restarted, "1", 1);
  // Its threads would be there before anybody could say how many are wanted.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  // Its threads wait busily for 2^26 cycles after a product, which others would suffer from.
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
  unsetenv("OPENBLAS_L2_SIZE");  // would change the blocks of a core it was not meant for
  drop_settings();
  if (has_settings()) {
    for (const auto& [name, value] : settings) setenv(name, value, 1);
  }
  execv("/proc/self/exe", argv);
  perror("bench_kernels: could not restart with the peers' settings");
}

void drop_settings() {
  for (const auto& [name, value] : settings) unsetenv(name);
}

}  // namespace bench
