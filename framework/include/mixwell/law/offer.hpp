// What an object can do beside its main task: its capabilities, which are asked for by their types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <type_traits>
#include <typeinfo>

namespace mixwell {

/// The question for one capability, and its answer so far.
class Offer {
 public:
  Offer(const std::type_info& asked, const void* part) noexcept : asked_(&asked), part_(part) {}

  /// If T is asked for: `part` is the answer, or there is none where it is null. T is named by the
  /// caller, so that a part of a derived type is still an answer for T.
  template <class T>
  void set(const std::type_identity_t<T>* part) noexcept {
    if (*asked_ == typeid(T)) part_ = part;
  }
  /// If one of T... is asked for: what `other` offers.
  template <class... T, class Other>
  void forward(const Other& other) noexcept {
    (set<T>(other.template offers<T>()), ...);
  }
  const void* part() const noexcept { return part_; }

 private:
  const std::type_info* asked_;
  const void* part_;
};

/// A base of what has capabilities, such as a Model with ExactSampler.
class MIXWELL_EXPORT Offering {
 public:
  /// The capability T, or null. T is a public base class of the object, unless offer() says
  /// otherwise. A search by type: look it up where a chain is composed, not in its transitions.
  template <class T>
  const T* offers() const noexcept {
    Offer answer(typeid(T), dynamic_cast<const T*>(this));
    offer(answer);
    return static_cast<const T*>(answer.part());
  }

 protected:
  Offering() = default;
  Offering(const Offering&) = default;
  Offering(Offering&&) = default;
  Offering& operator=(const Offering&) = default;
  Offering& operator=(Offering&&) = default;
  ~Offering();

  /// For capabilities that another object has, or that this one has under a condition:
  ///   offer.set<Prediction>(test_set_.get());
  ///   offer.set<Metric>(has_weights_ ? nullptr : this);
  /// Who overrides it in a class that is derived from another model calls that model's first.
  virtual void offer(Offer& offer) const noexcept;
};

}  // namespace mixwell
