// SPDX-License-Identifier: Apache-2.0
// Who signed a certificate?
#include "invariants/plan/signature.h"

#include <cstdlib>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "invariants/plan/supervisor.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNamespace = "assay";
constexpr double kDeadline_s = 60.0;  // an agent may ask its owner

fs::path find_ssh_keygen() {
  const char* path = std::getenv("PATH");
  std::string rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / "ssh-keygen";
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  throw std::runtime_error("no ssh-keygen on PATH; signatures need it (Debian: openssh-client)");
}

void require_file(const fs::path& file, const char* what) {
  std::error_code absent;
  if (!fs::is_regular_file(file, absent)) {
    throw std::runtime_error(file.string() + ": no such file; want " + what);
  }
}

Ended ssh_keygen(std::vector<std::string> arguments, const fs::path& input = {}) {
  Program program;
  program.file = find_ssh_keygen();
  program.arguments = std::move(arguments);
  program.input = input;
  program.deadline_s = kDeadline_s;
  program.output = ChildOutput::captured;
  program.echo_stderr = false;
  return supervise(program);
}

/// What it said last, on one line.
std::string words_of(const Ended& ended) {
  std::string text = ended.output + ended.stderr_tail;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  const auto newline = text.rfind('\n');
  text = newline == std::string::npos ? text : text.substr(newline + 1);
  while (!text.empty() && text.back() == '\r') text.pop_back();
  return text.empty() ? describe(ended) : text;
}

bool succeeded(const Ended& ended) {
  return ended.exit_code == 0;
}

}  // namespace

fs::path sign_file(const fs::path& file, const fs::path& key) {
  require_file(key, "a key that ssh-keygen can sign with");
  const fs::path signature = file.string() + ".sig";
  std::error_code ignored;
  fs::remove(signature, ignored);  // ssh-keygen would ask before it replaces one
  const Ended ended =
      ssh_keygen({"-Y", "sign", "-f", key.string(), "-n", kNamespace, file.string()});
  if (!succeeded(ended) || !fs::exists(signature)) {
    throw std::runtime_error(key.string() + ": cannot sign with this key: " + words_of(ended));
  }
  return signature;
}

SignatureCheck check_signature(const fs::path& file, const fs::path& signature,
                               const fs::path& allowed_signers) {
  require_file(file, "the signed file");
  require_file(signature, "a signature, as `assay certify --sign` leaves it");
  require_file(allowed_signers, "a list of allowed signers, see ssh-keygen(1)");
  const Ended found = ssh_keygen(
      {"-Y", "find-principals", "-s", signature.string(), "-f", allowed_signers.string()});
  if (!succeeded(found)) {
    return {"", "nobody in " + allowed_signers.string() +
                    " holds the key that signed: " + words_of(found)};
  }
  const std::string signer = found.output.substr(0, found.output.find('\n'));
  const Ended checked = ssh_keygen({"-Y", "verify", "-f", allowed_signers.string(), "-I", signer,
                                    "-n", kNamespace, "-s", signature.string()},
                                   file);
  if (!succeeded(checked)) {
    return {"", "not what " + signer + " signed: " + words_of(checked)};
  }
  return {signer, ""};
}

}  // namespace assay
