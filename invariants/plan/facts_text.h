// SPDX-License-Identifier: Apache-2.0
// How is what a probe measured shown to a person, and to CTest?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dossiers/measurement.h"

namespace assay {

/// "281.4", "true", "NVIDIA H200", "null".
std::string value_text(const Value& value);

/// One fact per line: path, value, units, spread in percent; a null with its reason.
std::string facts_text(const Measurements& measurements);

/// The finite numbers by path, full precision: what CDash and JUnit can hold.
std::vector<std::pair<std::string, std::string>> numbers(const Measurements& measurements);

/// A `<CTestMeasurement>` line per number: ctest takes them out of the output into Test.xml.
std::string ctest_measurements(const Measurements& measurements);

/// Text made safe inside XML, attributes included.
std::string xml_escaped(std::string_view text);

}  // namespace assay
