// SPDX-License-Identifier: Apache-2.0
// assay judge: does a dossier hold every invariant, and is a certificate still true?
#include <iostream>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "dossiers/cli/verb_main.h"
#include "dossiers/json/json_writer.h"
#include "invariants/certificate.h"
#include "invariants/judge_folder.h"
#include "invariants/plan/signature.h"
#include "invariants/share.h"
#include "invariants/summary.h"

namespace assay {
namespace {

struct Arguments {
  std::string dossier, pinned, pinned_folder, share, certificate, signature, signers;
  bool bootstrap = false;
  bool json = false;
};

void declare(CLI::App& app, Arguments& arguments) {
  auto* dossier =
      app.add_option("DOSSIER", arguments.dossier, "the dossier to judge, or a folder of them");
  auto* pinned = app.add_option("--pinned", arguments.pinned, "the approved dossier for drift");
  auto* folder =
      app.add_option("--pinned-dir", arguments.pinned_folder, "where to look for one instead");
  auto* bootstrap = app.add_flag("--bootstrap", arguments.bootstrap,
                                 "without a pinned dossier: provisional, drift left out");
  app.add_option("--share", arguments.share, "the folder of catalog.json, mustpass/, waivers.json");
  app.add_flag("--json", arguments.json,
               "the whole certificate, as kind replay, on stdout; of a folder one "
               "line for each dossier");
  auto* verify = app.add_option("--verify", arguments.certificate,
                                "check a certificate against the dossier.json beside it");
  auto* signature = app.add_option("--signature", arguments.signature,
                                   "with --verify: also check this signature of the certificate");
  auto* signers = app.add_option("--allowed-signers", arguments.signers,
                                 "whose signatures count: a file as in ssh-keygen(1)");
  signature->needs(verify)->needs(signers);
  signers->needs(signature);
  pinned->excludes(folder)->excludes(bootstrap);
  verify->excludes(dossier)->excludes(pinned)->excludes(bootstrap);
  app.footer(
      "Exits by the verdict: 0 pass, 1 fail or no evidence, 75 inconclusive, 77 not applicable.\n"
      "Of a folder every dossier.json at any depth is judged, and every .json that begins as one;\n"
      "the worst decides, and one that cannot be read is 2 where none failed.\n"
      "Example:\n"
      "  assay judge out/GPU-.../RUN/dossier.json\n"
      "  assay judge out\n"
      "  assay judge --verify out/GPU-.../RUN/certificate.json\n"
      "  assay judge --verify certificate.json --signature certificate.json.sig "
      "--allowed-signers signers");
}

std::filesystem::path folder_of_pins(const Arguments& arguments,
                                     const std::filesystem::path& share) {
  if (arguments.pinned_folder.empty()) return pinned_dir(share);
  if (!std::filesystem::is_directory(arguments.pinned_folder)) {
    throw std::runtime_error(arguments.pinned_folder + ": is no folder; --pinned-dir wants one");
  }
  return arguments.pinned_folder;
}

std::optional<PinnedDossier> choose_pinned(const Arguments& arguments, const Dossier& dossier,
                                           const std::filesystem::path& share) {
  if (!arguments.pinned.empty()) return read_pinned(arguments.pinned, dossier);
  return find_pinned(dossier, folder_of_pins(arguments, share));
}

int judge_all_under(const Arguments& arguments) {
  if (!arguments.pinned.empty()) {
    throw std::runtime_error("--pinned is one dossier's; of a folder's pins give --pinned-dir");
  }
  const std::filesystem::path share = share_dir(arguments.share);
  JudgeOptions options;
  options.replay = true;
  options.bootstrap = arguments.bootstrap;
  const FolderTotals totals =
      judge_folder(arguments.dossier, share, folder_of_pins(arguments, share), options,
                   [&arguments](const JudgedFile& judged) {
                     std::cout << (arguments.json ? judged_json(judged) : judged_line(judged));
                   });
  std::cout << (arguments.json ? totals_json(totals) : totals_line(totals));
  return exit_code(totals);
}

int judge(const Arguments& arguments) {
  const std::filesystem::path share = share_dir(arguments.share);
  const Dossier dossier = read_dossier(arguments.dossier);
  const Rules rules = load_rules(share, dossier.level);
  const std::optional<PinnedDossier> pinned = choose_pinned(arguments, dossier, share);
  JudgeOptions options;
  options.replay = true;
  options.bootstrap = arguments.bootstrap;
  const Certificate certificate =
      make_certificate(rules, dossier, pinned ? &*pinned : nullptr, options);
  if (arguments.json) {
    std::cout << certificate_text(certificate);
    return exit_code(certificate.verdict);
  }
  const SummaryOptions style{wants_colour(STDOUT_FILENO)};
  std::cout << verdict_table(certificate, style) << "\n" << summary_text(certificate, style);
  return exit_code(certificate.verdict);
}

int verify(const Arguments& arguments) {
  const std::filesystem::path share = share_dir(arguments.share);
  const std::filesystem::path pinned = arguments.pinned_folder.empty()
                                           ? pinned_dir(share)
                                           : std::filesystem::path(arguments.pinned_folder);
  std::vector<std::string> problems = verify_certificate(arguments.certificate, share, pinned);
  SignatureCheck signature;
  if (!arguments.signature.empty()) {
    signature = check_signature(arguments.certificate, arguments.signature, arguments.signers);
    if (!signature.problem.empty()) problems.push_back("signature: " + signature.problem);
  }
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["kind"] = "verification";
    json["certificate"] = arguments.certificate;
    json["verified"] = problems.empty();
    json["signer"] = nullptr;
    if (!signature.signer.empty()) json["signer"] = signature.signer;
    json["problems"] = problems;
    std::cout << json_text(json);
  } else if (problems.empty()) {
    std::cout << "verified: the seal holds and judging the evidence again gives the same bytes\n";
    if (!signature.signer.empty()) std::cout << "signed by " << signature.signer << "\n";
  } else {
    std::cout << "not verified\n";
    for (const std::string& problem : problems) std::cout << "  " << problem << "\n";
  }
  return problems.empty() ? kExitPass : kExitFail;
}

int run(const Arguments& arguments) {
  if (!arguments.certificate.empty()) return verify(arguments);
  if (arguments.dossier.empty()) {
    throw std::runtime_error("DOSSIER is missing; give a dossier, or --verify CERTIFICATE");
  }
  return std::filesystem::is_directory(arguments.dossier) ? judge_all_under(arguments)
                                                          : judge(arguments);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  CLI::App app("Judge a dossier by every invariant, or verify a certificate.", "assay judge");
  assay::Arguments arguments;
  assay::declare(app, arguments);
  return assay::run_verb(app, argc, argv, [&arguments] { return assay::run(arguments); });
}
