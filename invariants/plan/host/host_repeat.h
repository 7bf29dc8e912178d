// SPDX-License-Identifier: Apache-2.0
// `assay certify --all --repeat`: every GPU of the host again and again, and counted.
#pragma once

#include <cstdint>

#include "invariants/plan/host/certify_host.h"

namespace assay {

/// Certifies all GPUs of this host `rounds` times, past failed and inconclusive runs, and counts
/// each GPU's in a session of its own: <out>/repeat.json, written after each round. A round in
/// which files could not be written, or a child was called wrongly, ends it. Prints a line for each
/// round and the tables; with `json` the document goes to stdout and prose to stderr. Fewer GPUs
/// than asked for fail before anything is measured. Returns the exit code. Throws NoDevice where
/// there is none and nobody said how many there must be, DataError as RepeatCount does.
int repeat_all_verb(const HostOrder& order, std::int64_t rounds, bool json);

}  // namespace assay
