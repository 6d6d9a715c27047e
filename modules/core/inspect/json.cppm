// Every answer about a registry as JSON text, for programs that are not written in C++.
//
// Members have the names that each function states; keys, reasons and forms are the names they print as; a key set is a
// list of names; a place is {"file", "line"}, or null where there is none. Members keep their order, so equal answers
// are equal texts. Bytes that are no UTF-8 are replaced. Cost: linear in the text; one line, without spaces.
export module topbit.core:inspect.json;

import topbit.std;
import :inspect.computed_table;
import :inspect.coverage;
import :inspect.explain;
import :inspect.inspect;
import :inspect.key_overview;
import :inspect.what_if;
import :inspect.why_not;

namespace topbit {

namespace inspect {

/// {"name", "schema", "signature", "tags": [name], "definitions": [place], "kernels": [kernel]}, a kernel
/// {"key", "form", "place", "overridden_by", "replaces"}
export std::string to_json(const operator_dump& d);

/// {"operators": [as above], "fallbacks": [kernel], "namespaces": [{"name", "owner"}], "layers": [{"keys", "place"}],
/// "backend_names": [{"which", "name", "place"}]}
export std::string to_json(const registry_dump& d);

/// {"key", "reason", "passes", "registered_for", "place"}
export std::string to_json(const table_row& row);

/// A list of rows.
export std::string to_json(std::span<const table_row> table);

/// {"op", "schema", "arguments": [{"name", "keys"}], "included", "excluded", "always", "masked", "effective", "placed",
/// "candidates": [{"key", "taken", "rule", "why", "place"}], "selected", "found"}
export std::string to_json(const explanation& e);

/// {"op", "key", "reason", "kernel", "selected", "found", "instead", "sentence"}
export std::string to_json(const why_not_answer& a);

/// {"keys", "operators": [{"op", "cells": [row]}], "shadowed": [{"op", "key", "place", "reason", "at", "by",
/// "sentence"}]}
export std::string to_json(const coverage_report& r);

/// {"op", "suppositions": [{"what", "key"}], "table": [row], "changed": [{"from": row, "to": row}]}
export std::string to_json(const what_if_result& r);

/// {"keys": [{"key", "functionality", "backend", "passes"}], "backends", "aliases": [{"alias", "keys"}]}, "backend"
/// null where there is none
export std::string to_json(const key_overview& all);

}  // namespace inspect

}  // namespace topbit
