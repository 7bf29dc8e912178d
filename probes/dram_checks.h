// SPDX-License-Identifier: Apache-2.0
// Did a stream kernel really move what it is timed for? Each check throws WrongResult if not.
#pragma once

#include "probes/dram_streams.h"

namespace assay {

// What lies in stream a after a call, at its start, its middle and its end.
void check_write(const Streams& streams);
void check_copy(const Streams& streams);
void check_triad(const Streams& streams);
void check_memset(const Streams& streams);
void check_zeros(const Streams& streams);

// Each runs its kernel once with the word that the last thread must arrive at as the guard.
void check_read(const Streams& streams);
/// Of zeros, which must be in stream a.
void check_read_zeros(const Streams& streams);
void check_bulk_read(const Streams& streams);
void check_gather_4b(const Streams& streams);
void check_gather_16b(const Streams& streams);
void check_gather_128b(const Streams& streams);

}  // namespace assay
