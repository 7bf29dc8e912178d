// SPDX-License-Identifier: Apache-2.0
// `assay <verb>`: which program does the verb? It replaces this one.
#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

#include "dossiers/exit_code.h"
#include "dossiers/identity.h"
#include "invariants/plan/layout.h"
#include "invariants/plan/text.h"
#include "invariants/plan/verb_list.h"

namespace assay {
namespace {

int print_version() {
  const SuiteIdentity& suite = this_suite();
  std::string commit = suite.commit.empty() ? "unknown commit" : "commit " + suite.commit;
  if (suite.dirty) {
    commit += ", with local changes";
  }
  std::cout << "assay " << suite.version << " (" << commit << ")\n";
  return 0;
}

int print_help(const std::vector<Verb>& verbs, bool json) {
  if (!json) {
    std::cout << help_text(verbs);
    return 0;
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& verb : verbs) {
    list.push_back({{"name", verb.name}, {"summary", verb.summary}});
  }
  std::cout << nlohmann::ordered_json{{"verbs", list}}.dump(2) << '\n';
  return 0;
}

int unknown_verb(const std::string& given, const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const auto& verb : verbs) {
    names.push_back(verb.name);
  }
  const std::string near = nearest(given, names);
  const std::string hint =
      near.empty() ? "`assay help` lists them" : "did you mean `" + near + "`?";
  std::cerr << "assay: no verb `" << given << "`: " << hint << '\n';
  return kExitUsage;
}

bool known(const std::string& name, const std::vector<Verb>& verbs) {
  for (const auto& verb : verbs) {
    if (verb.name == name) {
      return true;
    }
  }
  return false;
}

int become(const Layout& layout, const std::string& verb, std::vector<std::string> arguments) {
  const std::string program = layout.verb(verb).string();
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (auto& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  std::cerr << "assay: cannot run " << program << ": " << std::strerror(errno) << '\n';
  return kExitUsage;
}

int help(const Layout& layout, const std::vector<Verb>& verbs, std::vector<std::string> rest) {
  if (rest.empty() || rest[0] == "--json" || rest[0] == "help" || rest[0] == "--help") {
    return print_help(verbs, !rest.empty() && rest[0] == "--json");
  }
  if (!known(rest[0], verbs)) {
    return unknown_verb(rest[0], verbs);
  }
  return become(layout, rest[0], {"--help"});
}

int dispatch(const std::vector<std::string>& arguments) {
  const Layout layout = this_layout();
  if (!arguments.empty() && (arguments[0] == "--version" || arguments[0] == "-V")) {
    return print_version();
  }
  const auto verbs = read_verbs(layout.share() / "verbs.txt");
  if (arguments.empty()) {
    std::cerr << help_text(verbs);
    return kExitUsage;
  }
  const std::string& verb = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (verb == "help" || verb == "--help" || verb == "-h") {
    return help(layout, verbs, rest);
  }
  return known(verb, verbs) ? become(layout, verb, rest) : unknown_verb(verb, verbs);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  try {
    return assay::dispatch({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "assay: " << error.what() << '\n';
    return assay::kExitUsage;
  }
}
