// Shared libraries that register when they are loaded: all of what they register, or nothing, and taken back as one.
//
// A plugin registers from its static objects as any library does, by way of the core it shares with its host. While it
// is being loaded its registrations are held back, then committed in one step. Its code stays mapped for good.
export module topbit.core:plugin.plugin;

import topbit.std;
import :text.error;

namespace topbit {

/// A plugin that was refused. Nothing of it is registered.
export class bad_plugin : public error {
 public:
  using error::error;
  bad_plugin(const bad_plugin&);
  ~bad_plugin() override;
};

namespace detail {
struct plugin_record;
}

/// What a plugin has registered in the process registry; unregisters it when destroyed. Move-only.
export class [[nodiscard("what the plugin registered is taken back when this is destroyed")]] plugin {
 public:
  plugin() noexcept = default;
  plugin(plugin&& other) noexcept;
  plugin& operator=(plugin&& other) noexcept;
  ~plugin();

  /// The file it was loaded from; empty once withdrawn.
  std::string_view path() const noexcept;
  /// Unregisters them, unless the same plugin was loaded more often than it was withdrawn.
  void withdraw() noexcept;
  /// Keeps them registered permanently.
  void keep() noexcept;

 private:
  friend plugin load_plugin(std::string_view path);
  explicit plugin(detail::plugin_record& r) noexcept : record_(&r) {}
  detail::plugin_record* record_ = nullptr;
};

/// Loads a shared library, its symbols kept to itself, and commits what its initialisers register in the process
/// registry; then, if it exports `extern "C" void topbit_load()`, calls that and commits what it registers, as a part
/// of the same whole. Loading a plugin that was withdrawn registers the same again without running its initialisers.
///
/// Throws bad_plugin, and registers nothing, if the file cannot be loaded, carries a core of its own, was built with
/// another version of topbit, was loaded by other means, has a registration that is refused, brings a library that
/// registers too, or if topbit_load() throws. Registrations that are refused are errors of load_plugin; any other
/// exception that leaves an initialiser ends the process, as it does with every dlopen: what may throw, find() and
/// another load_plugin() among it, belongs into topbit_load(). Plugins that it loads there stay, whatever becomes of
/// this one.
///
/// Threads: one at a time loads; withdrawing never waits for it. Not to be called from an initialiser.
export plugin load_plugin(std::string_view path);

}  // namespace topbit
