// topbit.cli: the program `topbit`, as a function from words to text. Internal: only main.cpp and the tests import it.
//
// It is a thin front: each command reads its words, asks the library, and prints to_string or to_json of the answer.
// What an answer lacks belongs into the library.
export module topbit.cli;

// Tier 1: what there is to say, and how it is given.
export import :command;
export import :terminal;
export import :arguments;
import :embedded;

// Tier 2: the commands.
export import :names;
import :list_commands;
import :doc_command;
import :dispatch_commands;
import :what_if_command;
import :call_command;
import :coverage_command;
import :gradients_command;
export import :coverage_page;
import :diff_command;

// Tier 3: made from the commands' own descriptions.
import :help;
import :manual;
import :completions;

// Tier 4: everything.
export import :run;
