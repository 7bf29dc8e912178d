// SPDX-License-Identifier: Apache-2.0
// Who signed a certificate? Signatures are made and checked by `ssh-keygen -Y`, in the namespace
// `assay`: nobody needs another tool or another kind of key.
#pragma once

#include <filesystem>
#include <string>

namespace assay {

/// Signs `file` with the key (a private key, or a public one whose private half an agent holds) and
/// returns `<file>.sig`; one that was there is replaced. Throws std::runtime_error that says what
/// is wrong: no ssh-keygen, a key that cannot be used.
std::filesystem::path sign_file(const std::filesystem::path& file,
                                const std::filesystem::path& key);

struct SignatureCheck {
  std::string signer;   ///< as the list of allowed signers names it; empty when it is not good
  std::string problem;  ///< what is wrong; empty when it is good
};

/// Checks that one of `allowed_signers` (its format: ssh-keygen(1)) signed the bytes of `file`.
/// Throws std::runtime_error when it cannot be checked at all: no ssh-keygen, a file that is not
/// there.
SignatureCheck check_signature(const std::filesystem::path& file,
                               const std::filesystem::path& signature,
                               const std::filesystem::path& allowed_signers);

}  // namespace assay
