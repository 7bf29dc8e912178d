// SPDX-License-Identifier: Apache-2.0
// Is this text strict JSON, and on which line does each value stand?
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "dossiers/json/json_store.h"

namespace assay::detail {
namespace {

/// Walks the text and knows the line of the last character that was handed out. The parser reads
/// one character past a number, so a line break counts only when the character after it is taken.
class LineCounter {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounter(const char* at, int* line, bool* pending) : at_(at), line_(line), pending_(pending) {}
  reference operator*() const { return *at_; }
  LineCounter& operator++() {
    *line_ += *pending_ ? 1 : 0;
    *pending_ = *at_ == '\n';
    ++at_;
    return *this;
  }
  LineCounter operator++(int) {
    LineCounter before = *this;
    ++*this;
    return before;
  }
  bool operator==(const LineCounter& other) const { return at_ == other.at_; }
  bool operator!=(const LineCounter& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  int* line_;
  bool* pending_;
};

bool is_nan_or_inf(std::string_view text, std::size_t at) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  std::size_t begin = at;
  while (begin > 0 && is_letter(text[begin - 1])) {
    --begin;
  }
  std::string word;
  for (std::size_t i = begin; i < text.size() && is_letter(text[i]); ++i) {
    word += static_cast<char>(std::tolower(static_cast<unsigned char>(text[i])));
  }
  return word == "nan" || word == "inf" || word == "infinity";
}

bool is_trailing_comma(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != '}' && text[at] != ']')) {
    return false;
  }
  const std::size_t before = text.substr(0, at).find_last_not_of(" \t\r\n");
  return before != std::string_view::npos && text[before] == ',';
}

/// The library's own words, without its "[json.exception...] parse error at line ..." head.
std::string bare_message(const std::string& message) {
  const std::size_t syntax = message.find("syntax error");
  return syntax == std::string::npos ? message.substr(message.find(']') + 1)
                                     : message.substr(syntax);
}

std::string explain(std::string_view text, std::size_t position, const std::string& message) {
  const std::size_t at = position == 0 ? 0 : position - 1;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return "the file is empty, want one JSON value";
  }
  if (position > text.size()) {
    return "the file is truncated: it ends inside a value";
  }
  if (message.find("number overflow") != std::string::npos) {
    return "number out of range, want one that a 64-bit float can hold";
  }
  if (is_nan_or_inf(text, at)) {
    return "not JSON: NaN and Inf are not numbers here, want null with a reason";
  }
  if (is_trailing_comma(text, at)) {
    return "not JSON: trailing comma, want none before a closing bracket";
  }
  if (message.find("expected end of input") != std::string::npos) {
    return "not JSON: something follows the document, want one value and nothing after it";
  }
  return "not JSON: " + bare_message(message);
}

class StoreBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  StoreBuilder(std::string_view text, JsonStore& store) : text_(text), store_(store) {}

  bool run() {
    const char* end = text_.data() + text_.size();
    return nlohmann::json::sax_parse(LineCounter(text_.data(), &line_, &pending_),
                                     LineCounter(end, &line_, &pending_), this);
  }

  bool null() override { return push({}) != kNoParent; }
  bool boolean(bool flag) override {
    JsonItem item;
    item.kind = JsonKind::boolean;
    item.flag = flag;
    return push(std::move(item)) != kNoParent;
  }
  bool number_integer(number_integer_t number) override {
    JsonItem item;
    item.kind = JsonKind::integer;
    item.negative = number < 0;
    item.bits = static_cast<std::uint64_t>(number);
    return push(std::move(item)) != kNoParent;
  }
  bool number_unsigned(number_unsigned_t number) override {
    JsonItem item;
    item.kind = JsonKind::integer;
    item.bits = number;
    return push(std::move(item)) != kNoParent;
  }
  bool number_float(number_float_t number, const string_t& literal) override {
    JsonItem item;
    item.kind = JsonKind::real;
    item.real = number;
    const JsonNode node(shared_view(), push(std::move(item)));
    if (literal.find_first_of(".eE") == std::string::npos) {
      node.fail("integer out of range, want at most 64 bits");
    }
    const std::string mantissa = literal.substr(0, literal.find_first_of("eE"));
    if (number == 0.0 && mantissa.find_first_of("123456789") != std::string::npos) {
      node.fail("number out of range, want one that a 64-bit float can hold");
    }
    return true;
  }
  bool string(string_t& text) override {
    JsonItem item;
    item.kind = JsonKind::string;
    item.text = std::move(text);
    return push(std::move(item)) != kNoParent;
  }
  bool binary(binary_t& /*bytes*/) override { return false; }
  bool key(string_t& name) override {
    key_ = std::move(name);
    return true;
  }
  bool start_object(std::size_t /*count*/) override { return open(JsonKind::object); }
  bool start_array(std::size_t /*count*/) override { return open(JsonKind::array); }
  bool end_array() override {
    --depth_;
    current_ = store_.items[current_].parent;
    return true;
  }
  bool end_object() override {
    --depth_;
    JsonItem& object = store_.items[current_];
    const auto key_of = [this](std::uint32_t child) -> const std::string& {
      return store_.items[child].key;
    };
    object.by_key = object.children;
    std::sort(object.by_key.begin(), object.by_key.end(), [&](std::uint32_t a, std::uint32_t b) {
      return key_of(a) < key_of(b) || (key_of(a) == key_of(b) && a < b);
    });
    const auto twin = std::adjacent_find(
        object.by_key.begin(), object.by_key.end(),
        [&](std::uint32_t a, std::uint32_t b) { return key_of(a) == key_of(b); });
    if (twin != object.by_key.end()) {
      JsonNode(shared_view(), *(twin + 1))
          .fail("duplicate key, first on line " + std::to_string(store_.items[*twin].line) +
                "; want each key once");
    }
    current_ = object.parent;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    const std::size_t at = std::min(position == 0 ? 0 : position - 1, text_.size());
    const auto breaks =
        std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw DataError(store_.file + ":" + std::to_string(1 + breaks) + ": " + error_path() + ": " +
                    explain(text_, position, error.what()));
  }

 private:
  /// A node handle for an error message only: the store outlives the throw.
  std::shared_ptr<const JsonStore> shared_view() const {
    return {std::shared_ptr<const JsonStore>(), &store_};
  }
  std::string error_path() const {
    return current_ == kNoParent ? "top level" : path_of(store_, current_);
  }
  std::uint32_t push(JsonItem item) {
    const auto index = static_cast<std::uint32_t>(store_.items.size());
    item.line = line_;
    item.parent = current_;
    if (current_ != kNoParent) {
      JsonItem& parent = store_.items[current_];
      item.position = static_cast<std::uint32_t>(parent.children.size());
      if (parent.kind == JsonKind::object) {
        item.key = std::move(key_);
      }
      parent.children.push_back(index);
    }
    store_.items.push_back(std::move(item));
    return index;
  }
  bool open(JsonKind kind) {
    JsonItem item;
    item.kind = kind;
    current_ = push(std::move(item));
    if (++depth_ > kMostNested) {
      JsonNode(shared_view(), current_)
          .fail("nested too deep, want at most " + std::to_string(kMostNested) + " levels");
    }
    return true;
  }

  // Deeper than any document of ours; a message that names the place stays one line.
  static constexpr int kMostNested = 64;

  std::string_view text_;
  JsonStore& store_;
  std::string key_;
  int depth_ = 0;
  std::uint32_t current_ = kNoParent;
  int line_ = 1;
  bool pending_ = false;
};

}  // namespace

std::string path_of(const JsonStore& store, std::uint32_t index) {
  std::vector<std::uint32_t> chain;
  for (; store.items[index].parent != kNoParent; index = store.items[index].parent) {
    chain.push_back(index);
  }
  std::string path;
  for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
    const JsonItem& item = store.items[*link];
    if (store.items[item.parent].kind == JsonKind::array) {
      path.append("[").append(std::to_string(item.position)).append("]");
    } else {
      path.append(path.empty() ? "" : ".").append(item.key);
    }
  }
  return path.empty() ? "top level" : path;
}

std::shared_ptr<const JsonStore> parse_store(std::string_view text, const std::string& name) {
  auto store = std::make_shared<JsonStore>();
  store->file = name;
  if (!StoreBuilder(text, *store).run() || store->items.empty()) {
    throw DataError(name + ":1: top level: not JSON");
  }
  return store;
}

}  // namespace assay::detail
