// SPDX-License-Identifier: Apache-2.0
// Which cards are known?
#include "dossiers/cards/card_list.h"

#include "dossiers/cli/share_file.h"
#include "dossiers/json/document.h"
#include "dossiers/json/json_reader.h"

namespace assay {
namespace {

Provenance read_provenance(const JsonNode& node) {
  const std::string& word = node.text();
  for (const Provenance one :
       {Provenance::checked, Provenance::recalled, Provenance::back_solved, Provenance::follows}) {
    if (word == to_string(one)) return one;
  }
  node.fail("'" + word + "'; allowed: checked, recalled, back_solved, follows");
}

Confidence read_sure(const JsonNode& node) {
  const std::string& word = node.text();
  if (word == "high") return Confidence::high;
  if (word == "medium") return Confidence::medium;
  if (word == "low") return Confidence::low;
  node.fail("'" + word + "'; allowed: high, medium, low");
}

Figure read_figure(const JsonNode& node) {
  node.reject_unknown_keys({"value", "from", "why"});
  Figure figure;
  if (const auto why = node.find("why")) figure.why = why->text();
  if (node.at("value").is_null()) {
    if (node.find("from")) node.fail("null has no `from`");
    if (figure.why.empty()) node.fail("null needs a `why`");
    return figure;
  }
  figure.value = node.at("value").number();
  if (!(*figure.value > 0.0)) node.at("value").fail("want a number above 0; unknown is null");
  figure.from = read_provenance(node.at("from"));
  return figure;
}

CardFigures read_figures(const JsonNode& node) {
  CardFigures figures;
  for (const auto& [name, value] : node.members()) {
    bool known = false;
    for (const FigureField& field : kFigureFields) known = known || field.name == name;
    if (!known) value.fail("unknown figure");
  }
  for (const FigureField& field : kFigureFields) {
    figures.*field.member = read_figure(node.at(field.name));
  }
  return figures;
}

Card read_card(const JsonNode& node) {
  node.reject_unknown_keys({"key", "name", "vendor", "arch", "aliases", "driver_names",
                            "memory_type", "inline_ecc", "unified_memory", "source", "sure", "note",
                            "same_figures_as", "figures"});
  Card card;
  card.key = node.at("key").text();
  card.name = node.at("name").text();
  card.vendor = node.at("vendor").text();
  if (card.vendor != "nvidia" && card.vendor != "amd") {
    node.at("vendor").fail("'" + card.vendor + "'; allowed: nvidia, amd");
  }
  card.arch = node.at("arch").text();
  card.aliases = node.at("aliases").strings();
  card.driver_names = node.at("driver_names").strings();
  card.memory_type = node.at("memory_type").text();
  card.inline_ecc = node.at("inline_ecc").boolean();
  card.unified_memory = node.at("unified_memory").boolean();
  card.source = node.at("source").text();
  card.sure = read_sure(node.at("sure"));
  if (const auto note = node.find("note")) card.note = note->text();
  if (const auto same = node.find("same_figures_as")) card.same_figures_as = same->text();
  card.figures = read_figures(node.at("figures"));
  return card;
}

/// Remembers who claimed a name. Throws DataError on the second claim.
class Claims {
 public:
  void claim(const std::string& name, const std::string& card, const JsonNode& node) {
    const auto [found, is_new] = claimed_.emplace(name, card);
    if (!is_new) node.fail("'" + name + "' is taken by " + found->second);
  }

 private:
  std::map<std::string, std::string> claimed_;
};

}  // namespace

CardList read_cards(const std::filesystem::path& file) {
  const JsonNode document = read_json(file);
  check_schema(document, "cards");
  document.reject_unknown_keys({"schema", "kind", "shared_driver_names", "cards"});
  CardList list;
  Claims keys, driver_names;
  for (const auto& [name, how] : document.at("shared_driver_names").members()) {
    list.shared_driver_names[name] = how.text();
    driver_names.claim(name, "shared_driver_names", how);
  }
  for (const JsonNode& node : document.at("cards").items()) {
    Card card = read_card(node);
    keys.claim(card.key, card.key, node.at("key"));
    for (const std::string& alias : card.aliases) keys.claim(alias, card.key, node.at("aliases"));
    for (const std::string& name : card.driver_names) {
      driver_names.claim(name, card.key, node.at("driver_names"));
    }
    list.cards.push_back(std::move(card));
  }
  if (list.cards.empty()) document.at("cards").fail("no card");
  return list;
}

CardList load_cards(const std::string& file) {
  return read_cards(file.empty() ? share_file("cards.json") : std::filesystem::path(file));
}

}  // namespace assay
