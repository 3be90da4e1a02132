// Maps the words of each token to features. Encodes sentences as indices of features and tags.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sentences.hpp"

#include <mixwell/plugin.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mixwell::crf {

/// S sentences as numbers, with N tokens; each token has some of F features.
struct Sentences {
  std::vector<Index> first_token = {0};    ///< index of the first token of each sentence, then N
  std::vector<Index> first_feature = {0};  ///< start of each token in `features`, then its length
  std::vector<Index> features;
  std::vector<Index> tags;  ///< one for each token

  Index size() const noexcept { return std::ssize(first_token) - 1; }
  Index tokens() const noexcept { return std::ssize(tags); }
  Index token(Index sentence, Index t) const {
    return first_token[static_cast<std::size_t>(sentence)] + t;
  }
  Index length(Index sentence) const { return token(sentence + 1, 0) - token(sentence, 0); }
  Index tag(Index token) const { return tags[static_cast<std::size_t>(token)]; }
};

/// "pos[-1]": the word in column `pos` of the previous token.
struct Template {
  std::string text;
  std::size_t column = 0;
  Index offset = 0;
};

/// Throws ParameterError if the text is not a template, or names a column that does not exist.
inline Template to_template(const std::string& text, const std::vector<std::string>& columns) {
  const std::size_t open = text.find('[');
  Template made{.text = text};
  const auto column = std::find(columns.begin(), columns.end(), text.substr(0, open));
  if (column == columns.end())
    throw ParameterError("features", "\"" + text + "\" names a column that does not exist" +
                                         suggestion(text.substr(0, open), columns));
  made.column = static_cast<std::size_t>(column - columns.begin());
  if (open == std::string::npos) return made;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + open + 1, end, made.offset);
  if (error != std::errc() || rest + 1 != end || *rest != ']')
    throw ParameterError(
        "features",
        "\"" + text + "\" must be a column, or a column with an offset, such as pos[-1].");
  return made;
}

/// Maps words to features: the constant 1 if the model has a bias, then "pos[0]=NN" and so on. The
/// training sentences determine the features, and each feature has its own index.
class FeatureMap {
 public:
  /// Keeps all features that occur, or the `most` most frequent ones (the first by name among
  /// equally frequent ones). The features are sorted by name.
  FeatureMap(const std::vector<Sentence>& training, std::vector<Template> templates, bool bias,
             std::optional<std::int64_t> most)
      : templates_(std::move(templates)) {
    std::map<std::string, std::int64_t> counts;
    for (const Sentence& sentence : training)
      for (Index t = 0; t < std::ssize(sentence); ++t)
        for (const Template& one : templates_) ++counts[name(sentence, t, one)];
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [feature, count] : counts) order.emplace_back(-count, feature);
    std::sort(order.begin(), order.end());
    if (most && std::ssize(order) > *most) order.resize(static_cast<std::size_t>(*most));
    std::set<std::string> kept;
    for (auto& [count, feature] : order) kept.insert(std::move(feature));
    if (bias) names_.emplace_back("1");
    has_bias_ = bias;
    for (const std::string& feature : kept) {
      numbers_[feature] = std::ssize(names_);
      names_.push_back(feature);
    }
  }

  const std::vector<std::string>& names() const noexcept { return names_; }

  /// A word that does not occur in the training sentences has no feature. Throws InputError for a
  /// tag that is not in `tags`, which is sorted.
  Sentences numbers(const std::vector<Sentence>& sentences,
                    const std::vector<std::string>& tags) const {
    Sentences out;
    for (const Sentence& sentence : sentences) {
      for (Index t = 0; t < std::ssize(sentence); ++t) add_token(sentence, t, tags, out);
      out.first_token.push_back(out.tokens());
    }
    return out;
  }

 private:
  static std::string name(const Sentence& sentence, Index t, const Template& one) {
    const Index at = t + one.offset;
    const bool inside = at >= 0 && at < std::ssize(sentence);
    return one.text + "=" +
           (inside ? sentence[static_cast<std::size_t>(at)].words[one.column] : "(outside)");
  }

  void add_token(const Sentence& sentence, Index t, const std::vector<std::string>& tags,
                 Sentences& out) const {
    const Token& token = sentence[static_cast<std::size_t>(t)];
    const auto tag = std::lower_bound(tags.begin(), tags.end(), token.tag);
    if (tag == tags.end() || *tag != token.tag)
      throw InputError(token.place + ": the tag \"" + token.tag +
                       "\" does not occur in the training sentences. Remove the sentence, or train "
                       "on sentences with this tag.");
    if (has_bias_) out.features.push_back(0);
    for (const Template& one : templates_) {
      const auto found = numbers_.find(name(sentence, t, one));
      if (found != numbers_.end()) out.features.push_back(found->second);
    }
    out.first_feature.push_back(std::ssize(out.features));
    out.tags.push_back(tag - tags.begin());
  }

  std::vector<Template> templates_;
  bool has_bias_ = false;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Index> numbers_;
};

/// All tags of the sentences, sorted.
inline std::vector<std::string> tags_of(const std::vector<Sentence>& sentences) {
  std::set<std::string> tags;
  for (const Sentence& sentence : sentences)
    for (const Token& token : sentence) tags.insert(token.tag);
  return {tags.begin(), tags.end()};
}

}  // namespace mixwell::crf
