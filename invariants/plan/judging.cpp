// SPDX-License-Identifier: Apache-2.0
// With which rules and against which pinned dossier is a run judged?
#include "invariants/plan/judging.h"

namespace assay {

Certificate judge(const Judging& how, const Dossier& dossier) {
  const Rules rules = load_rules(how.share, dossier.level);
  std::optional<PinnedDossier> pinned;
  if (how.pinned_file.empty()) {
    pinned = find_pinned(dossier, pinned_dir(how.share));
  } else {
    pinned = read_pinned(how.pinned_file, dossier);
  }
  return make_certificate(rules, dossier, pinned ? &*pinned : nullptr, how.options);
}

}  // namespace assay
