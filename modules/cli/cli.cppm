// topbit.cli: the program `topbit`, as a function from words to text. Internal: only main.cpp and the tests import it.
//
// It is a thin front: each command reads its words, asks the library, and prints to_string or to_json of the answer.
// What an answer lacks belongs into the library.
export module topbit.cli;

export import :command;
export import :terminal;
export import :arguments;
export import :names;
export import :coverage_page;
export import :run;
