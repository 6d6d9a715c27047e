// A coverage report as one page that needs nothing else: coverage.html with the data in it.
export module topbit.cli:coverage_page;

import topbit.std;
import topbit.core;

namespace topbit::cli {

/// The page. Cost: linear in operators times keys; equal cells are kept once.
export std::string page_of(const inspect::coverage_report& report);

}  // namespace topbit::cli
