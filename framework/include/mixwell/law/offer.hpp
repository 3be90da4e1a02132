// Optional capabilities of an object, which callers request by type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mixwell/base/export.hpp>

#include <type_traits>
#include <typeinfo>

namespace mixwell {

/// A request for one capability, and the pointer that answers it, which set() can replace.
class Offer {
 public:
  Offer(const std::type_info& asked, const void* part) noexcept : asked_(&asked), part_(part) {}

  /// Answers the request with `part` if it asks for T. Null means that there is no such capability.
  /// Callers must specify T. It is not deduced, because `part` may point to a class that is derived
  /// from T.
  template <class T>
  void set(const std::type_identity_t<T>* part) noexcept {
    if (*asked_ == typeid(T)) part_ = part;
  }
  /// If the request is for one of T..., answers it with what `other` offers for this type.
  template <class... T, class Other>
  void forward(const Other& other) noexcept {
    (set<T>(other.template offers<T>()), ...);
  }
  const void* part() const noexcept { return part_; }

 private:
  const std::type_info* asked_;
  const void* part_;
};

/// A base class of objects with capabilities, such as a Model with ExactSampler.
class MIXWELL_EXPORT Offering {
 public:
  /// Returns the capability T, or null. By default, an object offers its public base classes.
  /// offer() can change this. This function is slow, because it searches by type. Call it when a
  /// chain is composed, not in transitions.
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

  /// Override this for capabilities that another object has, or that this object has only under a
  /// condition:
  ///   offer.set<Prediction>(test_set_.get());
  ///   offer.set<Metric>(has_weights_ ? nullptr : this);
  /// In a class derived from a model class, offer() must first call the offer() of the base class.
  virtual void offer(Offer& offer) const noexcept;
};

}  // namespace mixwell
