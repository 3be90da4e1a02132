// Kernel graphs from statements with options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "language.hpp"
#include "tape.hpp"

#include <mixwell/graph/graph.hpp>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mixwell::testing {

/// The same choices give the same graph. Its numbers, bodies and laws cannot be evaluated: a reader
/// needs only edges and traits. Throws InputError if the graph refuses a choice.
KernelGraph wired(const Language& language, Tape& tape);

/// A line for every operation and history.
std::string listed(const KernelGraph& graph);

/// Writes one wiring, choice by choice.
class WiringWriter {
 public:
  WiringWriter(const Language& language, Tape& tape) : language_(language), tape_(tape) {}
  KernelGraph write();

 private:
  using Law = std::shared_ptr<const Potential>;

  // Before the first statement.
  void add_slots();
  void add_factors();

  // The choices of an option.
  std::vector<Value> readable() const;
  Value number();
  Input noise(const char* what);
  Input chance();
  void guard();
  std::size_t slot();
  std::vector<Value> versions(Variable v) const;
  Value state(Variable v);
  Value bystander();
  Value bounded(const char* what);

  // Laws.
  Value law(std::size_t k);
  Value law_of_part(std::size_t k);
  Value law_with_noise(std::size_t k);
  Value momentum_law(Variable p);
  Value batch_law(std::size_t k);
  Value proposal_law(const char* what, Value of, Value extra, const Law& q,
                     const std::shared_ptr<const Body>& body);
  Value estimate(const char* what, Value of, const Law& how,
                 const std::shared_ptr<const Body>& body);

  // Statements.
  void statement();
  void walk(Flips flips);
  void leap();
  void opaque();
  void keep();
  void exchange();
  void mirror();
  void draw();
  void hand_on(const std::string& name);
  void compute();
  void drift();
  void pseudo();
  void redraw();
  void stages();

  Value move(const char* what, Flips flips, std::vector<Input> inputs);
  void refresh(const char* what, bool full, Variable of, Value law);
  void accept(std::vector<Input> inputs, std::vector<Output> outputs);
  void stage(const char* path, Variable trial, Value law, Value size,
             const std::pair<std::shared_ptr<const Body>, std::shared_ptr<const Body>>& bodies);
  std::string named(const char* what) const { return path_ + "/" + what; }

  const Language& language_;
  Tape& tape_;
  KernelGraph graph_;
  std::string path_;
  std::vector<Variable> slots_, registers_, momenta_;
  Variable normals_;
  std::vector<Value> factors_;  ///< by slot
  std::vector<Value> noises_;
  std::map<std::pair<int, int>, Value> constant_momentum_laws_;
  std::map<int, Value> last_momentum_law_;
};

}  // namespace mixwell::testing
