// What TOPBIT_TRACE does to a program that was built without a thought of it.
#include <sys/stat.h>
#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <string_view>
#include <thread>

#include "support/trace_format.h"

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct outcome {
  int status = 0;  // 128 and the signal, where one ended it
  std::string out, err;
};

std::string read(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A folder of its own for each test.
struct folder {
  folder() {
    std::string name = (fs::temp_directory_path() / "topbit_trace_XXXXXX").string();
    path = mkdtemp(name.data());
  }
  folder(const folder&) = delete;
  ~folder() { fs::remove_all(path); }
  outcome run(const std::string& trace, const std::string& arguments = "") const {
    const std::string command = "TOPBIT_TRACE='" + trace + "' '" TRACE_PROGRAM "' " + arguments + " >" +
                                (path / "out").string() + " 2>" + (path / "err").string();
    const int status = std::system(("exec 2>/dev/null; " + command).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(path / "out"), read(path / "err")};
  }
  // The same with `beside` run in the shell before it and ended after it, and ended itself where it does not end.
  outcome run_beside(const std::string& beside, const std::string& trace, const std::string& arguments = "") const {
    const std::string command = "cd '" + path.string() + "'; " + beside + " reader=$!; TOPBIT_TRACE='" + trace +
                                "' timeout -s KILL 60 '" TRACE_PROGRAM "' " + arguments +
                                " >out 2>err; status=$?; [ -z \"$reader\" ] || kill $reader 2>/dev/null; exit $status";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read(path / "out"), read(path / "err")};
  }
  fs::path path;
};

// Times and places, which are not the same in every run and on every machine, become T and P.
std::string plain(const std::string& text) {
  return std::regex_replace(std::regex_replace(text, std::regex(R"(\d+\.\d{3} us)"), "T us"),
                            std::regex(R"(at \S*trace_program\.cpp:\d+)"), "at P");
}

const std::string one_run =
    "program::outer call at CPU: kernel, registered at P, T us\n"
    "  program::inner call at CPU: kernel, registered at P, T us\n"
    "  program::inner call at CPU: kernel, registered at P, T us\n"
    "program::inner call at CPU: kernel, registered at P, T us\n";

}  // namespace

TEST_CASE("trace environment: 1 prints each call to the error output", "[core][trace][I6]") {
  const outcome o = folder().run("1");
  CHECK(o.status == 0);
  CHECK(o.out == "main begins\n");
  CHECK(plain(o.err) == one_run);
}

TEST_CASE("trace environment: 0 and nothing are silent", "[core][trace][I6]") {
  for (const char* off : {"0", ""}) {
    const outcome o = folder().run(off);
    CHECK(o.status == 0);
    CHECK(o.out == "main begins\n");
    CHECK(o.err.empty());
  }
}

TEST_CASE("trace environment: text and a file name write the same into the file", "[core][trace][I6]") {
  const folder f;
  const outcome o = f.run("text:" + (f.path / "trace.txt").string());
  CHECK(o.status == 0);
  CHECK(o.err.empty());
  CHECK(plain(read(f.path / "trace.txt")) == one_run);
}

TEST_CASE("trace environment: lines of several threads say which", "[core][trace][I6]") {
  const outcome o = folder().run("1", "threads");
  CHECK(o.status == 0);
  const std::string outer = one_run.substr(0, one_run.rfind("program::inner")), inner = one_run.substr(outer.size());
  CHECK(plain(o.err) == outer + "thread 2\n" + outer + "thread 3\n" + inner);
}

TEST_CASE("trace environment: json and a file name write what viewers load", "[core][trace][json][I6]") {
  const folder f;
  for (const char* what : {"", "calls", "threads"}) {
    const outcome o = f.run("json:" + (f.path / "trace.json").string(), what);
    CHECK(o.status == 0);
    CHECK(o.err.empty());
    const json all = json::parse(read(f.path / "trace.json"));
    CHECK(trace_format::faults(all).empty());
    std::size_t calls = 0, names = 0;
    for (const json& e : all) {
      calls += e["ph"] == "X";
      names += e["name"] == "thread_name";
    }
    const std::string_view w = what;
    CHECK(calls == (w == "calls" ? 3000u : w == "threads" ? 7u : 4u));
    CHECK(names == (w == "threads" ? 3u : 1u));
    CHECK(all[0]["name"] == "process_name");
    CHECK(all[0]["args"]["name"] == "core_trace_program");
  }
}

TEST_CASE("trace environment: a crash leaves a file that lacks no more than its last bracket", "[core][trace][json]") {
  const folder f;
  const outcome o = f.run("json:" + (f.path / "trace.json").string(), "abort");
  CHECK(o.status != 0);
  const json all = json::parse(read(f.path / "trace.json") + "]");
  CHECK(trace_format::faults(all).empty());
  CHECK(all.size() == 2 + 256);  // what was last is lost, since events are written so many together
}

TEST_CASE("trace environment: a line stands above the first of many calls inside one that has not ended",
          "[core][trace]") {
  const std::string inner = one_run.substr(one_run.rfind("program::inner"));
  std::string expected = "... inside a call that has not ended\n";
  for (int i = 0; i < 4096; ++i) expected += "  " + inner;
  expected += "program::many call at CPU: kernel, registered at P, T us\n";
  for (int i = 4096; i < 5000; ++i) expected += "  " + inner;
  expected += inner;
  const outcome o = folder().run("1", "many");
  CHECK(o.status == 0);
  const bool same = plain(o.err) == expected;  // too long to be printed
  CHECK(same);
}

TEST_CASE("trace environment: a process that the program starts leaves its file alone", "[core][trace]") {
  const folder f;
  for (const std::string form : {"text:", "json:"}) {
    const std::string file = (f.path / form.substr(0, 4)).string();
    const outcome o = f.run(form + file, "child");
    CHECK(o.status == 0);
    CHECK(o.out == "main begins\nmain begins\n");
    CHECK(o.err == "topbit: TOPBIT_TRACE: another process writes '" + file +
                       "'; name the file with %p to have one for each process\n");
    if (form == "text:") {
      CHECK(plain(read(file)) == one_run);
    } else {
      CHECK(json::parse(read(file)).size() == 2 + 4);
    }
  }
}

TEST_CASE("trace environment: a file that a process before it has left is begun anew", "[core][trace]") {
  const folder f;
  const fs::path file = f.path / "trace.txt";
  std::ofstream(file) << std::string(10000, 'x');
  CHECK(f.run("text:" + file.string()).err.empty());
  CHECK(plain(read(file)) == one_run);
}

TEST_CASE("trace environment: %p in the name of the file is the number of the process", "[core][trace]") {
  const folder f;
  fs::create_directory(f.path / "traces");
  const outcome o = f.run("text:" + (f.path / "traces" / "a%p.%p.txt").string(), "child");
  CHECK(o.status == 0);
  CHECK(o.err.empty());
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(f.path / "traces")) {
    ++files;
    CHECK(std::regex_match(entry.path().filename().string(), std::regex(R"(a(\d+)\.\1\.txt)")));
    CHECK(plain(read(entry.path())) == one_run);
  }
  CHECK(files == 2);
}

TEST_CASE("trace environment: a fork without a program of its own writes nothing", "[core][trace]") {
  const folder f;
  const fs::path file = f.path / "trace";
  CHECK(f.run("text:" + file.string(), "fork").status == 0);
  CHECK(plain(read(file)) ==
        "program::fork call at CPU: kernel, registered at P, T us\n"
        "  program::inner call at CPU: kernel, registered at P, T us\n");
  CHECK(f.run("json:" + file.string(), "fork").status == 0);
  CHECK(json::parse(read(file)).size() == 2 + 2);
}

TEST_CASE("trace environment: times are right where the processor was taken away while the clock was measured",
          "[core][trace]") {
  const outcome o = folder().run("1", "wait");
  CHECK(o.status == 0);
  std::smatch us;
  REQUIRE(std::regex_search(o.err, us, std::regex(R"((\d+\.\d{3}) us)")));
  CHECK(std::stod(us[1]) > 49'000);
  CHECK(std::stod(us[1]) < 100'000);
}

TEST_CASE("trace environment: a file that cannot be written ends the process before it begins", "[core][trace]") {
  const outcome o = folder().run("json:/nowhere/trace.json");
  CHECK(o.status == 2);
  CHECK(o.out.empty());
  CHECK(o.err ==
        "topbit: TOPBIT_TRACE: cannot write '/nowhere/trace.json': No such file or directory; name a file that can be "
        "written\n");
}

TEST_CASE("trace environment: a value that means nothing ends the process before it begins", "[core][trace]") {
  for (const std::string wrong : {"yes", "2", "json", "xml:a", "11"}) {
    const outcome o = folder().run(wrong);
    CHECK(o.status == 2);
    CHECK(o.out.empty());
    CHECK(o.err == "topbit: TOPBIT_TRACE: found '" + wrong + "', wanted 0, 1, text:FILE or json:FILE\n");
  }
  CHECK(folder().run("json:").err ==
        "topbit: TOPBIT_TRACE: cannot write '': No such file or directory; name a file that can be written\n");
}

TEST_CASE("trace environment: a disk that is full ends the trace and not the program", "[core][trace]") {
  if (!fs::exists("/dev/full")) SKIP("no device here that is always full");
  const outcome o = folder().run("text:/dev/full", "calls");
  CHECK(o.status == 0);
  CHECK(o.out == "main begins\n");
  CHECK(o.err == "topbit: TOPBIT_TRACE: /dev/full: the trace ends here, No space left on device\n");
}

TEST_CASE("trace environment: a disk that is full from the start ends the process before it begins", "[core][trace]") {
  if (!fs::exists("/dev/full")) SKIP("no device here that is always full");
  const outcome o = folder().run("json:/dev/full");
  CHECK(o.status == 2);
  CHECK(o.out.empty());
  CHECK(o.err ==
        "topbit: TOPBIT_TRACE: cannot write '/dev/full': No space left on device; name a file that can be written\n");
}

TEST_CASE("trace environment: a named pipe with a reader is written to", "[core][trace]") {
  const folder f;
  REQUIRE(mkfifo((f.path / "pipe").c_str(), 0600) == 0);
  // It ends by itself, when it has seen all: the signal that ends readers would come too soon.
  const outcome o = f.run_beside("{ trap '' TERM; timeout -s KILL 60 cat pipe >seen; : >done; } &", "text:pipe");
  REQUIRE(o.status == 0);
  CHECK(o.err.empty());
  while (!fs::exists(f.path / "done")) std::this_thread::yield();
  CHECK(plain(read(f.path / "seen")) == one_run);
}

TEST_CASE("trace environment: a pipe without a reader is refused, and not waited for", "[core][trace]") {
  const folder f;
  REQUIRE(mkfifo((f.path / "pipe").c_str(), 0600) == 0);
  const outcome o = f.run_beside("", "text:pipe");
  CHECK(o.status == 2);
  CHECK(o.out.empty());
  CHECK(o.err == "topbit: TOPBIT_TRACE: cannot write 'pipe': no process reads this pipe; start its reader first\n");
}

TEST_CASE("trace environment: a reader that takes nothing ends the trace, not the program", "[core][trace]") {
  const folder f;
  REQUIRE(mkfifo((f.path / "pipe").c_str(), 0600) == 0);
  const outcome o = f.run_beside("sleep 100 <pipe &", "text:pipe", "many");
  CHECK(o.status == 0);
  CHECK(o.out == "main begins\n");
  CHECK(o.err == "topbit: TOPBIT_TRACE: pipe: the trace ends here, its reader does not read\n");
}

TEST_CASE("trace environment: a reader that goes ends the trace, not the program", "[core][trace]") {
  const folder f;
  REQUIRE(mkfifo((f.path / "pipe").c_str(), 0600) == 0);
  const outcome o = f.run_beside("head -c 100 <pipe >/dev/null &", "text:pipe", "many");
  CHECK(o.status == 0);
  CHECK(o.out == "main begins\n");
  CHECK(o.err == "topbit: TOPBIT_TRACE: pipe: the trace ends here, Broken pipe\n");
}
