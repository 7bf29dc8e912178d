// SPDX-License-Identifier: Apache-2.0
// What must a run of this level have measured and judged before it may be called complete?
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "dossiers/dossier.h"
#include "invariants/catalog.h"

namespace assay {

struct MustPassInvariant {
  std::string id;
  bool may_not_apply = false;
};

struct MustPass {
  std::string id, version;
  std::string sha256;  ///< of the file's bytes
  Level level = Level::quick;
  std::vector<std::string> entries;  ///< fact paths: present, or not applicable with a reason
  std::vector<MustPassInvariant> invariants;

  const MustPassInvariant* find(std::string_view invariant) const;
};

/// Throws DataError on unknown keys, duplicate or unknown invariants and paths no probe yields.
MustPass load_mustpass(const std::filesystem::path& file, const Catalog& catalog);

/// A thing that is not there, and why.
struct Gap {
  std::string what;  ///< a fact path or "invariant <id>"
  std::string reason;
  Outcome outcome = Outcome::no_evidence;
};

/// Both directions: what the list wants and the dossier lacks; what the dossier has and no list
/// wants.
struct Completeness {
  std::vector<Gap> missing;           ///< no_evidence and inconclusive; fail: cannot be true
  std::vector<Gap> skipped;           ///< not_applicable, with the reason
  std::vector<std::string> unlisted;  ///< facts in the dossier that the list does not name
};
Completeness completeness_of(const MustPass& mustpass, const Catalog& catalog,
                             const Dossier& dossier);

/// Why the fact at `path` cannot be used, and what that makes of who needs it. Outcome::pass with
/// an empty reason when it is there and not null.
Gap gap_at(const Catalog& catalog, const Dossier& dossier, const std::string& path);

}  // namespace assay
