// SPDX-License-Identifier: Apache-2.0
// What does the seal of a certificate cover?
#pragma once

#include <string>

namespace assay {

/// SHA-256 over the document without "seal": keys sorted, no white space, UTF-8, shortest
/// round-trip numbers. `text` must be valid JSON.
std::string seal_digest(const std::string& text);

}  // namespace assay
