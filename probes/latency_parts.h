// SPDX-License-Identifier: Apache-2.0
// Which families of latencies does the latency probe put together?
#pragma once

namespace assay {

struct Session;

/// `latency.l2`, and what it is on the nearest and on the furthest SM.
void measure_l2(Session& session);
/// `latency.constant`: the first-level constant cache.
void measure_constant(Session& session);
/// `latency.dsmem`: the shared memory of another SM of the same cluster.
void measure_dsmem(Session& session);
/// `latency.l2_near` and `latency.l2_far`: the two partitions of an L2, where it has two.
void measure_l2_partitions(Session& session);
/// `latency.tlb_{2,4,8,16,32}GiB`: DRAM by the reach of the TLBs.
void measure_tlb_reach(Session& session);
/// `op_latency.*`: arithmetic that waits for itself.
void measure_op_latencies(Session& session);

}  // namespace assay
