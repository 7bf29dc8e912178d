// SPDX-License-Identifier: Apache-2.0
// With which rules and against which pinned dossier is a run judged?
#include "invariants/plan/judging.h"

#include "dossiers/json/json_reader.h"
#include "invariants/share.h"

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

Audit audit_again(const Judging& how, const std::filesystem::path& folder) {
  const Dossier dossier = read_dossier(folder / "dossier.json", true);
  const Certificate certificate = judge(how, dossier);
  const Rules rules = load_rules(how.share, dossier.level);
  Audit audit = audit_run(folder, rules.mustpass, certificate);
  if (read_file(folder / "certificate.json") != certificate_text(certificate)) {
    audit.problems.push_back("certificate.json: judging dossier.json again gives other bytes");
  }
  return audit;
}

}  // namespace assay
