// What the records of a study say of it, without what came of its cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "study/records.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::study {

/// By label, what stood there, the last of them now.
using PlaceHistory = std::map<std::string, std::vector<PastCell>>;
/// Of a tuning, by rung and candidate.
using Trials = std::map<std::pair<std::int64_t, std::int64_t>, TrialRow>;

struct Outline {
  std::map<std::string, std::string> facts;
  std::vector<StudyPlace> places;
  PlaceHistory history;
  std::map<std::string, Trials> tunings;  ///< all that there ever were, by id
  std::vector<std::string> damaged;       ///< files of records that are not whole

  /// "" for one that is not known.
  std::string fact(const std::string& key) const;
  /// The trials of the study as it is now, in the order of models, variants and axes as texts.
  std::vector<TrialRow> trials() const;
  /// Its tunings, likewise. A choice is tuned if each of its rungs kept only trials with a score,
  /// or left nothing out; the winner of the last rung must have one.
  std::vector<TuningSum> sums() const;
};

/// Of what is whole. Throws InputError for a record that no study has written.
Outline read_outline(const std::string& folder, LongTexts texts = LongTexts::kept);
/// Of two of the kinds, likewise.
void read_places(const std::string& folder, LongTexts texts, Outline& outline);
void read_tuning(const std::string& folder, const std::string& tuning, Outline& outline);

Json json_of_places(const Outline& outline);
Json json_of(const Trials& trials);

}  // namespace mixwell::study
