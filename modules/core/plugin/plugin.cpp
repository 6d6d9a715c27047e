module;

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <thread>

module topbit.core;

import topbit.std;
import :plugin.image_marks;
import :registry.fork;
import :registry.recording;

namespace topbit {

bad_plugin::bad_plugin(const bad_plugin&) = default;
bad_plugin::~bad_plugin() = default;

namespace detail {

// A loaded file and its registration requests. Never freed while its code stays mapped: its initialisers do not run
// again.
struct plugin_record {
  // Immutable.
  std::string path;
  dev_t device = 0;
  ino_t file = 0;
  // Guarded by the list's mutex.
  unsigned users = 0;
  bool loading = true;
  bool withdrawing = false;
  // Guarded by `turn`.
  void* handle = nullptr;
  bool complete = false;                 // committed once; `requests` is complete
  std::vector<request> of_initialisers;  // requests made by its static initialisers
  std::vector<std::string> errors;       // errors of these requests
  // Guarded by the registry's lock once complete.
  std::vector<request> requests;
};

}  // namespace detail

namespace {

using detail::plugin_record;

// The mutex guards fields of the records and is never held while the loader, the registry or a plugin runs. One thread
// at a time loads, recursively if a plugin loads another: see `turn`.
struct plugin_list {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::unique_ptr<plugin_record>> records;
  std::thread::id owner;
  unsigned depth = 0;
};
plugin_list& plugins() noexcept {
  static plugin_list& all = *new plugin_list;  // static objects may hold plugins until exit
  return all;
}

}  // namespace

// Waits for a load or a withdrawal by another thread: in the child the plugin would be neither there nor gone. Not for
// ever, since a load may wait for the thread that forks.
void detail::hold_plugins() noexcept {
  constexpr std::chrono::seconds limit(10);
  plugin_list& all = plugins();
  std::unique_lock lock(all.mutex);
  all.changed.wait_for(lock, limit, [&] {
    return (all.depth == 0 || all.owner == std::this_thread::get_id()) &&
           std::ranges::none_of(all.records, [](const auto& r) { return r->withdrawing; });
  });
  lock.release();
}

// In the child, a plugin that another thread was still loading is neither loaded nor listed.
void detail::release_plugins(bool in_child) noexcept {
  plugin_list& all = plugins();
  if (in_child) {
    std::construct_at(&all.changed);
    for (const auto& r : all.records) r->withdrawing = false;
    if (all.depth != 0 && all.owner != std::this_thread::get_id()) {
      all.depth = 0;
      std::erase_if(all.records, [](auto& r) { return r->loading && r.release() != nullptr; });
    }
  }
  all.mutex.unlock();
}

namespace {

class turn {
 public:
  turn() : all_(plugins()) {
    std::unique_lock lock(all_.mutex);
    all_.changed.wait(lock, [&] { return all_.depth == 0 || all_.owner == std::this_thread::get_id(); });
    all_.owner = std::this_thread::get_id();
    ++all_.depth;
  }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;
  ~turn() {
    const std::lock_guard lock(all_.mutex);
    --all_.depth;
    all_.changed.notify_all();
  }

 private:
  plugin_list& all_;
};

// The recording that receives errors while dlopen runs initialisers for load_plugin on this thread; else null.
constinit thread_local detail::recording* in_initialisers = nullptr;

[[noreturn]] void refuse(std::string_view path, const std::string& why) {
  throw bad_plugin("plugin '" + std::string(path) + "': " + why);
}

void check_file(const std::string& path) {
  const detail::image_marks marks = detail::marks_of_file(path);
  if (!marks.is_library)
    refuse(path, "found a file that is not a shared library for this platform, wanted one that is");
  if (marks.mapped > marks.bytes) {
    refuse(path, "is truncated: it has " + std::to_string(marks.bytes) + " bytes, its segments end at byte " +
                     std::to_string(marks.mapped) + "; copy or build it again");
  }
  if (!marks.core_version.empty()) {
    refuse(path, "carries a topbit core of its own (" + marks.core_version +
                     "), which this process would not see; link it to the shared core, or leave the core's symbols " +
                     "to a host that exports them");
  }
  if (!marks.built_with.empty() && marks.built_with != version) {
    refuse(path, "was built with topbit " + marks.built_with + ", this process has " + std::string(version) +
                     "; build it again");
  }
}

const void* image_of_handle(void* handle) {
  link_map* map = nullptr;
  return dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 ? detail::image_of(map->l_ld) : nullptr;
}

// Runs the initialisers and records their requests.
void open_image(plugin_record& record, const std::string& name) {
  if (void* there = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(there);
    refuse(record.path,
           "is loaded already, but not by load_plugin(): what it registers has been registered since then");
  }
  const std::vector<const void*> before = detail::loaded_images();
  detail::recording held_back(registry::process());
  in_initialisers = &held_back;
  record.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  in_initialisers = nullptr;
  held_back.close();
  if (record.handle == nullptr) refuse(record.path, "cannot be loaded: " + std::string(dlerror()));
  record.of_initialisers = std::move(held_back.requests());
  for (const bad_registration& e : held_back.errors()) record.errors.emplace_back(e.what());
  const void* core = dlsym(record.handle, "topbit_the_core");
  if (core != nullptr && core != &detail::topbit_the_core) {
    record.errors.insert(record.errors.begin(),
                         "depends on a topbit core of its own, '" + detail::image_name(core) +
                             "', which this process does not use; leave the core's symbols to the host");
  }
  for (const detail::request& r : record.of_initialisers) {
    if (r.image == image_of_handle(record.handle) || std::ranges::find(before, r.image) != before.end()) continue;
    record.errors.push_back("'" + std::string(static_cast<const link_map*>(r.image)->l_name) +
                            "', which it depends on, registers too; load that one " +
                            "first, so that it does not come and go with this plugin");
    break;
  }
}

[[noreturn]] void refuse_all(const plugin_record& record, const std::vector<std::string>& errors) {
  const std::size_t more = errors.size() - 1;
  refuse(record.path, errors.front() + (more == 0 ? "" : "; and " + std::to_string(more) + " more"));
}

// Requests made by topbit_load(). Destroys their function objects unless they are committed.
struct requests_of_load {
  std::vector<detail::request> all;
  ~requests_of_load() {
    for (const detail::request& r : all) detail::end_object_of(r.impl);
  }
};

// Commits the plugin's requests; the first time, topbit_load() runs and adds to them.
void activate(plugin_record& record) {
  registry& process = registry::process();
  try {
    if (record.complete) return detail::commit(process, record.requests);
    if (!record.errors.empty()) refuse_all(record, record.errors);
    record.requests = record.of_initialisers;
    requests_of_load added;
    // dlsym also searches dependencies; a topbit_load of another shared object is ignored.
    void* found = dlsym(record.handle, "topbit_load");
    if (found != nullptr && detail::image_of(found) == image_of_handle(record.handle)) {
      detail::recording held_back(process);
      const auto failed = [&](const std::string& why) {
        held_back.add_error(bad_registration("topbit_load() threw" + why));
      };
      try {
        reinterpret_cast<void (*)()>(found)();
      } catch (const std::exception& e) {
        failed(": " + std::string(e.what()));
      } catch (...) {
        failed(" something that is not a std::exception");
      }
      held_back.close();
      added.all = std::move(held_back.requests());
      std::vector<std::string> errors;
      for (const bad_registration& e : held_back.errors()) errors.emplace_back(e.what());
      if (!errors.empty()) refuse_all(record, errors);
      record.requests.insert(record.requests.end(), added.all.begin(), added.all.end());
    }
    for (detail::request& r : record.requests) r.of_plugin = true;
    detail::commit_for_good(process, record.requests);
    added.all.clear();
    record.complete = true;
  } catch (const bad_registration& e) {
    refuse(record.path, e.what());
  }
}

// True if the code was unmapped, so that the file must be loaded again.
bool closed(plugin_record& record) {
  if (record.handle == nullptr) return true;
  if (!record.of_initialisers.empty() || record.complete) return false;
  link_map* map = nullptr;
  const std::string name = dlinfo(record.handle, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : record.path.c_str();
  dlclose(record.handle);
  // A shared object that registered is pinned and stays mapped even if its registrations were withdrawn.
  record.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  return record.handle == nullptr;
}

}  // namespace

plugin load_plugin(std::string_view path) {
  if (in_initialisers != nullptr) {
    // An exception thrown through the dynamic loader would terminate the process.
    in_initialisers->add_error(bad_registration("plugin '" + std::string(path) + "': load_plugin() was called by an " +
                                                "initialiser; call it from topbit_load()"));
    return {};
  }
  std::error_code no_folder;
  const std::string name = std::filesystem::absolute(std::filesystem::path(path), no_folder).string();
  const turn mine;
  struct stat file{};
  if (stat(name.c_str(), &file) != 0) refuse(path, "found no such file");
  if (!S_ISREG(file.st_mode)) refuse(path, "found something other than a file, wanted a shared library");

  plugin_list& all = plugins();
  std::unique_lock lock(all.mutex);
  const auto same_file = [&](const auto& r) { return r->device == file.st_dev && r->file == file.st_ino; };
  const auto known = std::ranges::find_if(all.records, same_file);
  const bool is_new = known == all.records.end();
  if (is_new) all.records.push_back(std::make_unique<plugin_record>(name, file.st_dev, file.st_ino));
  plugin_record& record = is_new ? *all.records.back() : **known;
  if (!is_new) {
    all.changed.wait(lock, [&] { return !record.withdrawing; });
    if (record.loading) refuse(path, "is being loaded already: it loads itself, or a plugin that loads it");
    if (record.users != 0) {
      ++record.users;
      return plugin(record);
    }
    record.loading = true;
  }
  // dlopen returns an already mapped shared object for a known name; a rebuilt file needs another spelling of its path.
  const auto built_before =
      std::ranges::count_if(all.records, [&](const auto& r) { return r.get() != &record && r->path == record.path; });
  lock.unlock();

  try {
    if (is_new) {
      check_file(name);
      std::filesystem::path spelled = std::filesystem::path(name).parent_path();
      for (auto n = built_before; n != 0; --n) spelled /= ".";
      open_image(record, (spelled / std::filesystem::path(name).filename()).string());
    }
    activate(record);
  } catch (...) {
    bool gone = false;
    try {
      gone = closed(record);
    } catch (const std::bad_alloc&) {  // the record stays; harmless
    }
    lock.lock();
    record.loading = false;
    if (gone) std::erase_if(all.records, same_file);
    throw;
  }
  lock.lock();
  record.loading = false;
  record.users = 1;
  return plugin(record);
}

plugin::plugin(plugin&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
plugin& plugin::operator=(plugin&& other) noexcept {
  if (this != &other) {
    withdraw();
    record_ = std::exchange(other.record_, nullptr);
  }
  return *this;
}
plugin::~plugin() { withdraw(); }

std::string_view plugin::path() const noexcept { return record_ == nullptr ? std::string_view() : record_->path; }

void plugin::withdraw() noexcept {
  plugin_record* record = std::exchange(record_, nullptr);
  if (record == nullptr) return;
  plugin_list& all = plugins();
  {
    const std::lock_guard lock(all.mutex);
    if (--record->users != 0) return;
    record->withdrawing = true;
  }
  std::shared_ptr<detail::listener> silent = detail::withdraw(registry::process(), record->requests);
  {
    const std::lock_guard lock(all.mutex);
    record->withdrawing = false;
    all.changed.notify_all();
  }
  detail::settle(registry::process(), std::move(silent));
}

void plugin::keep() noexcept { record_ = nullptr; }

}  // namespace topbit
