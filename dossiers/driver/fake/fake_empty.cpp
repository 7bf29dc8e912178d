// SPDX-License-Identifier: Apache-2.0
// A library that is there and has nothing in it.
extern "C" int assay_fake_empty() {
  return 0;
}
