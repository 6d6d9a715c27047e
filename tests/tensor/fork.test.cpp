// A fork has one thread. It allocates and draws, whatever the others were doing.
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <thread>

#include "support/child.h"
#include "support/host_memory.h"
import topbit.core;
import topbit.tensor;

namespace tb = topbit;
using support::bytes, support::KiB;
using tb::tensor;

TEST_CASE("fork: a child allocates, whatever threads of its parent were allocating", "[tensor][memory][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  CHECK(toy::children_end_beside_threads(100, [] {
    (void)bytes(1 * KiB);
    (void)bytes(200 * KiB);  // above what a thread caches for itself
    (void)tb::host_memory();
  }));
}

TEST_CASE("fork: a child frees what threads of its parent were handing each other", "[tensor][memory][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  std::atomic<tensor*> handed = nullptr;
  std::atomic<bool> stop = false;
  std::thread maker([&] {
    while (!stop) delete handed.exchange(new tensor(bytes(100 * KiB)));
  });
  std::thread dropper([&] {
    while (!stop) delete handed.exchange(nullptr);
  });
  const bool all_ended = toy::children_end(100, [&] {
    delete handed.exchange(new tensor(bytes(100 * KiB)));
    tb::release_cached_memory();
  });
  stop = true;
  maker.join();
  dropper.join();
  delete handed.load();
  CHECK(all_ended);
}

TEST_CASE("fork: a child draws from the default generators, whoever was drawing or seeding", "[tensor][fork]") {
  if (toy::no_children != nullptr) SKIP(toy::no_children);
  CHECK(toy::children_end_beside_threads(100, [] {
    (void)tb::default_generator().take(1);
    (void)tb::manual_seed(7);
    (void)tb::default_generator(tb::meta).seed();
  }));
}
