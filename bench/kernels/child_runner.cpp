// One line asks, one or more answer: "prepare <problem>" and "errors <function>" are answered by how many lines follow,
// "time <contender> <calls>" by seconds, "drop" by "ok", and what failed by "failed <why>".
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <stdexcept>

#include "machine.h"
#include "runner.h"

namespace bench {

namespace {

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> found;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '\t');) found.push_back(cell);
  return found;
}

class child final : public runner {
 public:
  explicit child(const std::vector<std::string>& words) {
    int ask[2], answer[2];
    if (pipe(ask) != 0 || pipe(answer) != 0) throw std::runtime_error("could not make pipes for a child process");
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("could not start a child process");
    if (process_ == 0) {
      dup2(ask[0], STDIN_FILENO);
      dup2(answer[1], STDOUT_FILENO);
      for (const int end : {ask[0], ask[1], answer[0], answer[1]}) close(end);
      drop_settings();
      use_all_processors();  // it chooses its one among those that this process was given
      std::vector<char*> argv;
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv("/proc/self/exe", argv.data());
      _exit(127);
    }
    close(ask[0]);
    close(answer[1]);
    to_ = fdopen(ask[1], "w");
    from_ = fdopen(answer[0], "r");
  }
  ~child() override {
    fclose(to_);
    fclose(from_);
    waitpid(process_, nullptr, 0);
  }

  std::vector<contender> prepare(std::size_t problem) override {
    std::vector<contender> found;
    for (int left = std::stoi(ask("prepare " + std::to_string(problem))); left > 0; --left) {
      const std::vector<std::string> c = cells(line());
      found.push_back({c.at(0), c.at(1), c.at(2), std::stoi(c.at(3)), false, std::stod(c.at(4)), std::stod(c.at(5))});
    }
    return found;
  }
  double seconds(std::size_t contender, std::int64_t calls) override {
    return std::stod(ask("time " + std::to_string(contender) + " " + std::to_string(calls)));
  }
  void drop() override { ask("drop"); }
  std::vector<function_error> errors(const std::string& function) override {
    std::vector<function_error> found;
    for (int left = std::stoi(ask("errors " + function)); left > 0; --left) {
      const std::vector<std::string> c = cells(line());
      found.push_back(
          {c.at(0), c.at(1), {std::stod(c.at(2)), std::stod(c.at(3)), std::stod(c.at(4)), std::stoi(c.at(5))}});
    }
    return found;
  }

 private:
  std::string line() {
    std::string text;
    for (int c = fgetc(from_); c != '\n'; c = fgetc(from_)) {
      if (c == EOF) throw std::runtime_error("the process in which peers choose for themselves has ended");
      text.push_back(static_cast<char>(c));
    }
    return text;
  }
  std::string ask(const std::string& what) {
    std::fprintf(to_, "%s\n", what.c_str());
    std::fflush(to_);
    std::string answer = line();
    constexpr std::string_view failed = "failed ";
    if (answer.starts_with(failed)) throw std::runtime_error(answer.substr(failed.size()));
    return answer;
  }

  int process_ = 0;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

std::string answer(runner& of, const std::string& question) {
  std::istringstream in(question);
  std::ostringstream out;
  std::string verb, function;
  std::size_t which = 0;
  std::int64_t calls = 0;
  out << std::setprecision(12);
  in >> verb;
  if (verb == "prepare" && in >> which) {
    const std::vector<contender> all = of.prepare(which);
    out << all.size();
    for (const contender& c : all) {
      out << '\n'
          << c.name << '\t' << c.version << '\t' << c.setting << '\t' << c.threads << '\t' << c.flops << '\t'
          << c.bytes;
    }
  } else if (verb == "time" && in >> which >> calls) {
    out << of.seconds(which, calls);
  } else if (verb == "errors" && in >> function) {
    const std::vector<function_error> all = of.errors(function);
    out << all.size();
    for (const function_error& e : all) {
      out << '\n'
          << e.name << '\t' << e.setting << '\t' << e.greatest.ulp << '\t' << e.greatest.worse << '\t'
          << e.greatest.ulp_beyond << '\t' << e.greatest.special;
    }
  } else if (verb == "drop") {
    of.drop();
    out << "ok";
  } else {
    out << "failed found '" << question << "', wanted prepare, time, errors or drop";
  }
  return out.str();
}

}  // namespace

std::unique_ptr<runner> child_runner(const std::vector<std::string>& words) { return std::make_unique<child>(words); }

void serve(runner& of) {
  for (std::string question; std::getline(std::cin, question);) {
    std::string text;
    try {
      text = answer(of, question);
    } catch (const std::exception& e) {
      text = std::string("failed ") + e.what();
    }
    std::cout << text << std::endl;
  }
}

}  // namespace bench
