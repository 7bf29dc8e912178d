// SPDX-License-Identifier: Apache-2.0
// assay-write-graph <share folder>: writes graph.cmake there from its catalogue and its probes.
#include <exception>
#include <filesystem>
#include <iostream>

#include "dossiers/dossier.h"
#include "invariants/plan/graph.h"
#include "invariants/plan/plan.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "assay-write-graph: usage: assay-write-graph <share folder>\n";
    return 2;
  }
  try {
    const std::filesystem::path share = argv[1];
    assay::write_file_atomically(share / "graph.cmake",
                                 assay::graph_text(assay::steps(assay::read_plan(share))));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "assay-write-graph: " << error.what() << '\n';
    return 2;
  }
}
