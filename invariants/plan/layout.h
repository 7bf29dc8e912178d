// SPDX-License-Identifier: Apache-2.0
// Where are the other programs of this installation? The build tree and the install tree have one
// shape, and a program finds its neighbours from where it lies itself:
//   bin/assay  libexec/assay/assay-<verb>  libexec/assay/assay-step  libexec/assay/probes/<probe>
//   share/assay/{graph.cmake,probes.json,verbs.txt,catalog.json,...}
#pragma once

#include <filesystem>
#include <string>

namespace assay {

struct Layout {
  std::filesystem::path root;

  std::filesystem::path verb(const std::string& name) const {
    return root / "libexec" / "assay" / ("assay-" + name);
  }
  std::filesystem::path step() const { return verb("step"); }
  std::filesystem::path probe(const std::string& name) const {
    return root / "libexec" / "assay" / "probes" / name;
  }
  std::filesystem::path share() const { return root / "share" / "assay"; }
};

/// The layout around `program`, which lies in `bin` or `libexec/assay` of it.
/// Throws std::runtime_error when it lies elsewhere.
Layout layout_around(const std::filesystem::path& program);
/// The layout around the running program, links resolved.
Layout this_layout();

}  // namespace assay
