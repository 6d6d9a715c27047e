module;

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <condition_variable>

module topbit.core;

import topbit.std;

namespace topbit {

bad_plugin::bad_plugin(const bad_plugin&) = default;
bad_plugin::~bad_plugin() = default;

namespace detail {

// A file that was loaded, and what its initialisers asked for. Never freed once it has asked for something: the image
// stays mapped, and its initialisers will not run again.
struct plugin_record {
  std::string path;
  dev_t device = 0;
  ino_t file = 0;
  bool loading = true;
  unsigned users = 0;  // 0: withdrawn
  std::vector<request> requests;
  std::vector<std::string> errors;
};

}  // namespace detail

namespace {

using detail::plugin_record;

struct plugin_list {
  std::mutex mutex;
  std::condition_variable loaded;
  std::vector<std::unique_ptr<plugin_record>> records;
};
plugin_list& plugins() noexcept {
  static plugin_list& all = *new plugin_list;  // outlives every static object that holds a plugin
  return all;
}

[[noreturn]] void refuse(std::string_view path, const std::string& why) {
  throw bad_plugin("plugin '" + std::string(path) + "': " + why);
}

void check_file(const std::string& path) {
  const detail::image_marks marks = detail::marks_of_file(path);
  if (!marks.is_library) refuse(path, "found a file that is no shared library of this machine, wanted one");
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

// Runs the initialisers; what they register is added to the record.
void* open_image(plugin_record& record, const std::string& name) {
  const std::size_t cores = detail::loaded_cores().size();
  detail::recording held_back(registry::process());
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) refuse(record.path, "cannot be loaded: " + std::string(dlerror()));
  if (auto* load = reinterpret_cast<void (*)()>(dlsym(handle, "topbit_load")); load != nullptr) {
    try {
      load();
    } catch (const std::exception& e) {
      held_back.add_error("topbit_load() threw: " + std::string(e.what()));
    } catch (...) {
      held_back.add_error("topbit_load() threw something that is no std::exception");
    }
  }
  held_back.close();
  record.requests = std::move(held_back.requests());
  record.errors = held_back.errors();
  const std::vector<std::string> now = detail::loaded_cores();
  if (now.size() != cores) {
    record.errors.insert(record.errors.begin(),
                         "depends on a topbit core of its own, '" + now.back() +
                             "', which this process does not use; leave the core's symbols to the host");
  }
  return handle;
}

// All of it or nothing.
void commit(plugin_record& record) {
  if (!record.errors.empty()) {
    const std::size_t more = record.errors.size() - 1;
    refuse(record.path, record.errors.front() + (more == 0 ? "" : "; and " + std::to_string(more) + " more"));
  }
  try {
    registry::process().commit(record.requests);
  } catch (const bad_registration& e) {
    refuse(record.path, e.what());
  }
}

}  // namespace

plugin load_plugin(std::string_view path) {
  const std::string name(path);
  struct stat file{};
  if (stat(name.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) refuse(path, "no such file");

  plugin_list& all = plugins();
  std::unique_lock lock(all.mutex);
  const auto same_file = [&](const auto& r) { return r->device == file.st_dev && r->file == file.st_ino; };
  const auto find = [&] { return std::ranges::find_if(all.records, same_file); };
  all.loaded.wait(lock, [&] { return find() == all.records.end() || !(*find())->loading; });
  if (const auto known = find(); known != all.records.end()) {
    plugin_record& record = **known;
    if (record.users == 0) commit(record);
    ++record.users;
    return plugin(record);
  }

  check_file(name);
  // The loader would answer with the image it has of this name; a file that was built anew needs another one.
  const bool built_anew = std::ranges::any_of(all.records, [&](const auto& r) { return r->path == name; });
  const std::string open_as =
      built_anew ? "/proc/self/fd/" + std::to_string(open(name.c_str(), O_RDONLY | O_CLOEXEC)) : name;
  if (void* there = dlopen(open_as.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {
    dlclose(there);
    refuse(path, "is loaded already, but not by load_plugin(): what it registers stands since then");
  }
  all.records.push_back(std::make_unique<plugin_record>(name, file.st_dev, file.st_ino));
  plugin_record& record = *all.records.back();
  lock.unlock();

  // Without the lock: an initialiser may itself load a plugin, and whoever holds the loader's lock may come here.
  void* handle = nullptr;
  const auto done = [&](bool keeps) {
    lock.lock();
    record.loading = false;
    if (!keeps) std::erase_if(all.records, same_file);
    all.loaded.notify_all();
    lock.unlock();
  };
  try {
    handle = open_image(record, open_as);
    commit(record);
    record.users = 1;
  } catch (...) {
    // Nobody refers to an image that asked for nothing.
    const bool asked = !record.requests.empty();
    if (handle != nullptr && !asked) dlclose(handle);
    done(asked);
    throw;
  }
  done(true);
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
  const std::lock_guard lock(plugins().mutex);
  if (--record->users == 0) registry::process().withdraw(record->requests);
}

void plugin::keep() noexcept { record_ = nullptr; }

}  // namespace topbit
