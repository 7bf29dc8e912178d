// SPDX-License-Identifier: Apache-2.0
#include "invariants/plan/bench_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"
#include "dossiers/json/json_writer.h"

namespace assay {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEveryKey = ".*";

double positive(const JsonNode& node) {
  const double number = node.number();
  if (!(number > 0.0)) {
    node.fail("want a number above 0");
  }
  return number;
}

std::optional<double> limit(const JsonNode& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? std::optional<double>(positive(*found)) : std::nullopt;
}

Bar read_bar(const JsonNode& node) {
  node.reject_unknown_keys({"device", "fact", "units", "against", "at_least", "at_most", "source"});
  Bar bar;
  bar.device = node.at("device").text();
  bar.fact = node.at("fact").text();
  const auto units = unit_from(node.at("units").text());
  if (!units) {
    node.at("units").fail("no such unit");
  }
  bar.units = *units;
  const JsonNode against = node.at("against");
  if (against.kind() == JsonKind::string) {
    bar.against_fact = against.text();
  } else {
    bar.against = positive(against);
  }
  bar.at_least = limit(node, "at_least");
  bar.at_most = limit(node, "at_most");
  if (!bar.at_least && !bar.at_most) {
    node.fail("a bar needs at_least or at_most");
  }
  bar.source = node.at("source").text();
  return bar;
}

bool is_for_every_key(const std::string& fact) {
  return fact.size() > kEveryKey.size() &&
         fact.compare(fact.size() - kEveryKey.size(), kEveryKey.size(), kEveryKey) == 0;
}

/// The bar's facts: itself, or each key of its entry. An entry that is not there keeps its one row.
std::vector<std::string> facts_of(const Bar& bar,
                                  const std::map<std::string, Measurement>& entries) {
  if (!is_for_every_key(bar.fact)) {
    return {bar.fact};
  }
  const std::string entry = bar.fact.substr(0, bar.fact.size() - kEveryKey.size());
  const auto found = entries.find(entry);
  if (found == entries.end()) {
    return {bar.fact};
  }
  std::vector<std::string> facts;
  for (const auto& [key, fact] : found->second.facts) {
    facts.push_back(std::string(entry).append(".").append(key));
  }
  return facts;
}

/// The number at `path`, or nullopt with `why` filled.
std::optional<double> number_at(const std::string& path, Unit units,
                                const std::map<std::string, Measurement>& entries,
                                std::string& why) {
  const Fact* fact = find_fact(entries, path);
  if (fact == nullptr) {
    why = path + " was not measured";
  } else if (fact->reason) {
    why = to_string(*fact->reason);
  } else if (fact->units != units) {
    why = path + " is in " + std::string(to_string(fact->units));
  } else if (const auto number = as_number(fact->value)) {
    return number;
  } else {
    why = path + " is no number";
  }
  return std::nullopt;
}

/// Written so that a ratio that is not a number is never met.
Standing standing_of(double ratio, const Bar& bar) {
  if (!std::isfinite(ratio)) {
    return Standing::unknown;
  }
  if (bar.at_least && !(ratio >= *bar.at_least)) {
    return Standing::below;
  }
  if (bar.at_most && !(ratio <= *bar.at_most)) {
    return Standing::above;
  }
  return Standing::met;
}

BenchRow row_of(const Bar& bar, const std::string& fact,
                const std::map<std::string, Measurement>& entries) {
  BenchRow row;
  row.fact = fact;
  row.units = bar.units;
  row.at_least = bar.at_least;
  row.at_most = bar.at_most;
  row.source = bar.source;
  row.value = number_at(fact, bar.units, entries, row.why);
  row.against = bar.against;
  if (row.value && !row.against) {
    row.against = number_at(bar.against_fact, bar.units, entries, row.why);
  }
  if (row.value && row.against && *row.against > 0.0) {
    row.ratio = *row.value / *row.against;
    row.standing = standing_of(*row.ratio, bar);
  }
  return row;
}

std::ptrdiff_t count_of(const std::vector<BenchRow>& rows, Standing standing) {
  return std::count_if(rows.begin(), rows.end(),
                       [&](const BenchRow& row) { return row.standing == standing; });
}

/// Five significant digits: a bar of 0.5 % must be seen to be met.
std::string five_digits(double number) {
  char buffer[32];
  static_cast<void>(std::snprintf(buffer, sizeof buffer, "%.5g", number));
  return buffer;
}

std::string limits_text(const BenchRow& row) {
  std::string text;
  if (row.at_least) {
    text += ">= " + five_digits(*row.at_least);
  }
  if (row.at_most) {
    text += (text.empty() ? "<= " : ", <= ") + five_digits(*row.at_most);
  }
  return text;
}

using Cells = std::vector<std::string>;

Cells cells_of(const BenchRow& row) {
  const auto or_dash = [](const std::optional<double>& number) {
    return number ? five_digits(*number) : std::string("-");
  };
  std::string last = row.source;
  if (!row.why.empty()) {
    last += " (" + row.why + ")";
  }
  return {row.fact,
          or_dash(row.value),
          or_dash(row.against),
          std::string(to_string(row.units)),
          or_dash(row.ratio),
          limits_text(row),
          std::string(to_string(row.standing)),
          last};
}

std::string table(const std::vector<Cells>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  std::string text;
  for (const Cells& line : lines) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    }
    text += line.back() + "\n";
  }
  return text;
}

}  // namespace

std::vector<Bar> load_bars(const std::filesystem::path& file) {
  const JsonNode document = read_json(file);
  check_schema(document, "bars");
  document.reject_unknown_keys({"schema", "kind", "bars"});
  std::vector<Bar> bars;
  for (const JsonNode& node : document.at("bars").items()) {
    bars.push_back(read_bar(node));
  }
  return bars;
}

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::met:
      return "met";
    case Standing::below:
      return "short";
    case Standing::above:
      return "above";
    case Standing::unknown:
      return "unknown";
  }
  return "unknown";
}

std::vector<BenchRow> bench_rows(const std::vector<Bar>& bars, const std::string& device,
                                 const std::map<std::string, Measurement>& entries) {
  std::vector<BenchRow> rows;
  for (const Bar& bar : bars) {
    if (bar.device != device) {
      continue;
    }
    for (const std::string& fact : facts_of(bar, entries)) {
      rows.push_back(row_of(bar, fact, entries));
    }
  }
  return rows;
}

std::string bench_text(const std::vector<BenchRow>& rows, const std::string& device) {
  if (rows.empty()) {
    return "no bars are known for " + device + "\n";
  }
  std::vector<Cells> lines = {
      {"fact", "value", "against", "units", "ratio", "bar", "", "whose figure"}};
  for (const BenchRow& row : rows) {
    lines.push_back(cells_of(row));
  }
  const auto met = count_of(rows, Standing::met);
  const auto unknown = count_of(rows, Standing::unknown);
  const auto all = static_cast<std::ptrdiff_t>(rows.size());
  return table(lines) + std::to_string(met) + " of " + std::to_string(all) + " bars met, " +
         std::to_string(all - met - unknown) + " not, " + std::to_string(unknown) + " unknown\n";
}

std::string bench_json(const std::vector<BenchRow>& rows, const std::string& device) {
  Json list = Json::array();
  for (const BenchRow& row : rows) {
    list.push_back({{"fact", row.fact},
                    {"value", number_or_null(row.value)},
                    {"units", to_string(row.units)},
                    {"against", number_or_null(row.against)},
                    {"ratio", number_or_null(row.ratio)},
                    {"at_least", number_or_null(row.at_least)},
                    {"at_most", number_or_null(row.at_most)},
                    {"standing", to_string(row.standing)},
                    {"source", row.source},
                    {"why", row.why}});
  }
  return json_text(Json{{"device", device},
                        {"rows", list},
                        {"met", count_of(rows, Standing::met)},
                        {"short", count_of(rows, Standing::below)},
                        {"above", count_of(rows, Standing::above)},
                        {"unknown", count_of(rows, Standing::unknown)}});
}

}  // namespace assay
