#include "child.h"

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench::operators {

namespace {

nlohmann::json json_of(const child_run& run) {
  nlohmann::json cells = nlohmann::json::array();
  for (const measured_cell& cell : run.cells)
    cells.push_back({cell.family, cell.name, cell.size, cell.numbers, cell.topbit.median, cell.peer.median,
                     cell.problem, cell.elements});
  return {{"header", run.header}, {"cells", cells}};
}

child_run read(const nlohmann::json& from) {
  child_run run{from.at("header"), {}};
  for (const nlohmann::json& one : from.at("cells")) {
    measured_cell cell{one.at(0), one.at(1), one.at(2), one.at(3), {}, {}, one.at(6), one.at(7)};
    cell.topbit.median = one.at(4);
    cell.peer.median = one.at(5);
    run.cells.push_back(std::move(cell));
  }
  return run;
}

[[noreturn]] void write_and_exit(int pipe_end, const std::function<child_run()>& work) {
  std::string text;
  try {
    text = json_of(work()).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  } catch (const std::exception& e) {
    text = nlohmann::json{{"error", e.what()}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(pipe_end, text.data() + done, text.size() - done);
    if (count <= 0) _exit(1);
    done += static_cast<std::size_t>(count);
  }
  _exit(0);
}

}  // namespace

child_run run_in_child(const std::function<child_run()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("could not open a pipe for a run");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("could not start a process for a run");
  if (child == 0) {
    close(ends[0]);
    write_and_exit(ends[1], work);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t count; (count = ::read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("the process of a run died" +
                             (WIFSIGNALED(status) ? " of signal " + std::to_string(WTERMSIG(status)) : std::string()));
  const nlohmann::json answer = nlohmann::json::parse(text);
  if (answer.contains("error")) throw std::runtime_error(answer["error"].get<std::string>());
  return read(answer);
}

}  // namespace bench::operators
