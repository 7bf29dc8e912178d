// SPDX-License-Identifier: Apache-2.0
// Which faults are made on a device, and what must become of the invariants then?
#include "invariants/faults/fault_case.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "dossiers/json/json_reader.h"
#include "invariants/evaluate.h"

namespace assay {
namespace {

constexpr std::string_view kOfProbe = "probe:";

/// The drift of the dossier as a whole needs every probe; a fault is made on a few.
bool is_drift_of_all(const Invariant& invariant) {
  return invariant.check.kind == CheckKind::drift && invariant.check.entry.empty();
}

bool needs_one_of(const Invariant& invariant, const std::vector<std::string>& probes) {
  return !is_drift_of_all(invariant) &&
         std::any_of(invariant.probes.begin(), invariant.probes.end(), [&](const auto& probe) {
           return std::find(probes.begin(), probes.end(), probe) != probes.end();
         });
}

std::string optional_text(const JsonNode& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->text() : "";
}

std::vector<std::string> optional_names(const JsonNode& node, std::string_view key) {
  const auto found = node.find(key);
  return found ? found->strings() : std::vector<std::string>{};
}

/// The demands under `key`, each of which names something that the fault's probes decide.
std::vector<std::string> read_demands(const JsonNode& node, std::string_view key,
                                      const FaultCase& fault, const Catalog& catalog) {
  std::vector<std::string> demands = optional_names(node, key);
  for (const std::string& demand : demands) {
    const auto ids = demanded(demand, catalog);
    if (ids.empty()) node.at(key).fail("`" + demand + "` names no invariant of the catalogue");
    for (const std::string& id : ids) {
      if (!needs_one_of(*catalog.find(id), fault.probes)) {
        node.at(key).fail("`" + id + "` needs no fact of the probes under this fault");
      }
    }
  }
  return demands;
}

FaultCase read_fault(const JsonNode& node, const Catalog& catalog) {
  node.reject_unknown_keys(
      {"id", "what", "hog", "build", "probes", "beside", "fail", "inconclusive", "not_pass"});
  FaultCase fault;
  fault.id = node.at("id").text();
  fault.what = node.at("what").text();
  fault.hog = optional_text(node, "hog");
  fault.build = optional_text(node, "build");
  if (fault.hog.empty() == fault.build.empty()) {
    node.fail("a fault is made by `hog` or by `build`, one of them");
  }
  fault.probes = node.at("probes").strings();
  fault.beside = optional_names(node, "beside");
  for (const std::string& probe : fault.beside) {
    if (std::find(fault.probes.begin(), fault.probes.end(), probe) != fault.probes.end()) {
      node.at("beside").fail("`" + probe + "` is measured under the fault");
    }
  }
  fault.fail = read_demands(node, "fail", fault, catalog);
  fault.inconclusive = read_demands(node, "inconclusive", fault, catalog);
  fault.not_pass = read_demands(node, "not_pass", fault, catalog);
  if (fault.fail.empty() && fault.inconclusive.empty() && fault.not_pass.empty()) {
    node.fail("a fault demands something: `fail`, `inconclusive` or `not_pass`");
  }
  return fault;
}

/// One demanded invariant and what its outcome may be.
struct Demand {
  std::string id;
  std::vector<Outcome> allowed;
  std::string text;
};

void add_demands(const std::vector<std::string>& names, const std::vector<Outcome>& allowed,
                 const std::string& text, const Catalog& catalog, std::vector<Demand>& demands) {
  for (const std::string& name : names) {
    for (const std::string& id : demanded(name, catalog)) demands.push_back({id, allowed, text});
  }
}

std::vector<Demand> demands_of(const FaultCase& fault, const Catalog& catalog) {
  std::vector<Demand> demands;
  add_demands(fault.fail, {Outcome::fail}, "must fail", catalog, demands);
  add_demands(fault.inconclusive, {Outcome::inconclusive}, "must be inconclusive", catalog,
              demands);
  // no_evidence is none: a probe that crashed has not noticed the fault.
  add_demands(fault.not_pass, {Outcome::fail, Outcome::inconclusive}, "must not pass", catalog,
              demands);
  return demands;
}

/// What is not there has no evidence.
Outcome of(const Outcomes& outcomes, const std::string& id) {
  const auto found = outcomes.find(id);
  return found == outcomes.end() ? Outcome::no_evidence : found->second;
}

std::string is_text(const Outcomes& outcomes, const std::string& id) {
  return id + " is " + std::string(to_string(of(outcomes, id)));
}

}  // namespace

std::vector<std::string> demanded(const std::string& demand, const Catalog& catalog) {
  std::vector<std::string> ids;
  if (!demand.starts_with(kOfProbe)) {
    if (catalog.find(demand) != nullptr) ids.push_back(demand);
    return ids;
  }
  const std::vector<std::string> probe{demand.substr(kOfProbe.size())};
  for (const Invariant& invariant : catalog.invariants) {
    if (invariant.check.kind == CheckKind::drift) continue;
    if (needs_one_of(invariant, probe)) ids.push_back(invariant.id);
  }
  return ids;
}

std::vector<FaultCase> read_faults(const std::filesystem::path& file, const Catalog& catalog) {
  const JsonNode document = read_json(file);
  document.reject_unknown_keys({"schema", "kind", "faults"});
  if (document.at("kind").text() != "faults") document.at("kind").fail("allowed: faults");
  std::vector<FaultCase> faults;
  std::set<std::string> ids;
  for (const JsonNode& node : document.at("faults").items()) {
    faults.push_back(read_fault(node, catalog));
    if (!ids.insert(faults.back().id).second) node.at("id").fail("the id stands there twice");
  }
  return faults;
}

Outcomes outcomes_of(const Catalog& catalog, const Dossier& dossier,
                     const std::vector<std::string>& probes, const Dossier& healthy) {
  Outcomes outcomes;
  for (const Invariant& invariant : catalog.invariants) {
    if (needs_one_of(invariant, probes)) {
      outcomes[invariant.id] = evaluate(catalog, invariant, dossier, &healthy).outcome;
    }
  }
  return outcomes;
}

FaultResult judge_fault(const FaultCase& fault, const Catalog& catalog, const Outcomes& healthy,
                        const Outcomes& faulty) {
  FaultResult result;
  std::size_t asked = 0;
  for (const Demand& demand : demands_of(fault, catalog)) {
    const Outcome before = of(healthy, demand.id);
    // What this device or level does not have, and what needs a probe that was not run, asks
    // nothing.
    if (before == Outcome::not_applicable || before == Outcome::no_evidence) continue;
    ++asked;
    if (before != Outcome::pass) {
      result.problems.push_back("on the healthy device " + is_text(healthy, demand.id));
      continue;
    }
    const auto& allowed = demand.allowed;
    if (std::find(allowed.begin(), allowed.end(), of(faulty, demand.id)) == allowed.end()) {
      result.outcome = Outcome::fail;
      result.problems.push_back(is_text(faulty, demand.id) + ", it " + demand.text);
    }
  }
  if (asked == 0) {
    result.problems.emplace_back("none of the invariants in question was judged");
  } else if (result.outcome != Outcome::fail) {
    result.outcome = result.problems.empty() ? Outcome::pass : Outcome::inconclusive;
  }
  return result;
}

}  // namespace assay
