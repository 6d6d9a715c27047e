// The command by which this build compiles a unit that imports topbit, and what it reads: found in what CMake wrote.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace command {

// What a module's importers read, over the module's partitions.
struct module_size {
  std::size_t files = 0, bytes = 0;
};

struct compile {
  std::string folder;              // where it runs
  std::vector<std::string> words;  // without the source and the object
  std::map<std::string, module_size> modules;

  std::vector<std::string> of(const std::string& source, const std::string& object) const;
  // The flags that bear on what is measured, on any machine: no folder, no file.
  std::string flags() const;
};

// Takes the command for `source` from a compile_commands.json. Throws std::runtime_error that says what is missing.
compile find(const std::string& commands, const std::string& source);

}  // namespace command
