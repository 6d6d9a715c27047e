// The machine: what the report says of it, and which of its processors this process may use.
#pragma once

#include <string>

namespace bench {

std::string processor_model();
std::string cache_sizes();
double clock_ghz();  // measured: a chain of additions, one a cycle
std::string compiler();

// All threads of this process on one processor, the last of those it was given; or on all of those again.
void stay_on_one_processor();
void use_all_processors();
// The calling thread on that one, all others on the others: a scheduler may take milliseconds to find that out.
void spread_threads();

// Restarts the program, once, with the environment in which the peers are at their best: variables that libraries read
// while they are loaded, whatever the caller's says. Returns when there is nothing to do.
void restart_with_settings(char** argv);
// Whether there are such settings for this machine, and so two ways to run a peer.
bool has_settings();
// Takes them out of this process's environment, for a child in which the peers choose for themselves.
void drop_settings();

}  // namespace bench
