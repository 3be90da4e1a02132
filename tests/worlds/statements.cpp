// The statements of wirings.
// SPDX-License-Identifier: Apache-2.0
#include "placeholders.hpp"
#include "wiring.hpp"

#include <mixwell/kernel.hpp>

namespace mixwell::testing {
namespace {

Traits reversible(Flips flips) {
  Traits traits;
  traits.involution = traits.volume = true;
  traits.flips = flips;
  return traits;
}

/// The kernel that a stage is described by.
class StageKernel final : public Kernel {
 public:
  void describe(KernelGraph&, const Site&) const override {}
};
const StageKernel stage_kernel;

}  // namespace

void WiringWriter::statement() {
  const Verb verb =
      language_
          .verbs[static_cast<std::size_t>(tape_.pick(static_cast<int>(language_.verbs.size())))];
  switch (verb) {
    case Verb::walk:
      walk(Flips::noise);
      break;
    case Verb::flip:
      walk(Flips::nothing);
      break;
    case Verb::leap:
      leap();
      break;
    case Verb::opaque:
      opaque();
      break;
    case Verb::keep:
      keep();
      break;
    case Verb::exchange:
      exchange();
      break;
    case Verb::mirror:
      mirror();
      break;
    case Verb::draw:
      draw();
      break;
    case Verb::noise:
      guard();
      hand_on(named("w"));
      break;
    case Verb::compute:
      compute();
      break;
    case Verb::drift:
      drift();
      break;
    case Verb::pseudo:
      pseudo();
      break;
    case Verb::redraw:
      redraw();
      break;
    case Verb::stages:
      stages();
      break;
  }
  graph_.set_guard();
}

void WiringWriter::hand_on(const std::string& name) {
  noises_.push_back(graph_
                        .add(name, OperationKind::pure, {},
                             {{graph_.noise(name + "/noise"), Role::noise}},
                             {Output::derived(name, draws)}, some_body())
                        .front());
}

void WiringWriter::compute() {
  const auto all = readable();
  const Value of = all[static_cast<std::size_t>(tape_.pick(static_cast<int>(all.size())))];
  guard();
  graph_.add(named("number"), OperationKind::pure, {}, {{of, Role::parameter}},
             {Output::derived(named("number"), digest)}, some_body());
}

void WiringWriter::keep() {
  const int which = registers_.size() == 1 ? 0 : tape_.pick(static_cast<int>(registers_.size()));
  const Variable r = registers_[static_cast<std::size_t>(which)];
  const auto all = readable();
  const Value of = all[static_cast<std::size_t>(tape_.pick(static_cast<int>(all.size())))];
  guard();
  graph_.add(named("keep"), OperationKind::observe, {},
             {{graph_.current(r), Role::state}, {of, Role::parameter}}, {Output::next(r)},
             some_body());
}

// ---- decisions

Value WiringWriter::move(const char* what, Flips flips, std::vector<Input> inputs) {
  const std::string end = named(what) + "/end";
  return graph_
      .add(named(what), OperationKind::move, reversible(flips), std::move(inputs),
           {Output::derived(end, place)}, some_body())
      .front();
}

/// If the decision has a parameter, the parameter makes it lazy.
void WiringWriter::accept(std::vector<Input> inputs, std::vector<Output> outputs) {
  inputs.push_back(chance());
  if (const Value lazy = number()) inputs.push_back({lazy, Role::parameter});
  outputs.push_back(Output::derived(named("outcome"), digest));
  graph_.add(named("accept"), OperationKind::accept, {}, std::move(inputs), std::move(outputs),
             some_body());
}

void WiringWriter::walk(Flips flips) {
  const std::size_t k = slot();
  guard();
  const Value from = state(slots_[k]);
  const Value of = law(k);
  std::vector<Input> inputs{{from, Role::state}};
  if (const Value beside = bystander()) inputs.push_back({beside, Role::state});
  std::vector<Input> decides = inputs;
  inputs.push_back({of, Role::law});
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  if (flips == Flips::noise) inputs.push_back(noise("step"));
  Value end = move("move", flips, std::move(inputs));
  if (language_.chains && tape_.option(2) == 1) {
    std::vector<Input> more{{end, Role::state}, {of, Role::law}};
    if (flips == Flips::noise) more.push_back({graph_.noise(named("step2")), Role::noise});
    end = move("move2", flips, std::move(more));
  }
  decides.push_back({end, Role::proposed});
  decides.push_back({of, Role::law});
  accept(std::move(decides), {Output::next(slots_[k])});
}

void WiringWriter::refresh(const char* what, bool full, Variable of, Value law) {
  std::vector<Input> inputs{{law, Role::law}, noise(what)};
  if (!full) inputs.push_back({graph_.current(of), Role::state});
  Traits traits;
  traits.keeps_law = traits.renews = true;
  traits.full = full;
  graph_.add(named(what), OperationKind::refresh, traits, std::move(inputs), {Output::next(of)},
             some_body());
}

void WiringWriter::leap() {
  const std::size_t k = slot();
  guard();
  const int which = tape_.option(static_cast<int>(momenta_.size()) + 1);
  if (which == 0)
    momenta_.push_back(graph_.auxiliary("p" + std::to_string(momenta_.size()), place));
  const Variable p = which == 0 ? momenta_.back() : momenta_[static_cast<std::size_t>(which - 1)];
  const Value p_law = last_momentum_law_[p.id] = momentum_law(p);
  enum { full, partial, none };
  const int drawn = tape_.option(3);
  if (drawn != none) refresh("refresh", drawn == full, p, p_law);
  const Value of = law(k);
  const Value from = graph_.current(slots_[k]), momentum = graph_.current(p);
  std::vector<Input> inputs{{from, Role::state}, {momentum, Role::state}, {of, Role::law}};
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  const auto ends = graph_.add(
      named("move"), OperationKind::move, reversible(Flips::momentum), std::move(inputs),
      {Output::derived(named("end"), place), Output::derived(named("p-end"), place)}, some_body());
  const bool must_write = drawn != full && !language_.drops_momenta;
  const bool writes = must_write || (tape_.option(2) == 1) != (drawn != full);
  std::vector<Output> outputs{Output::next(slots_[k])};
  if (writes) outputs.push_back(Output::next(p));
  accept({{from, Role::state},
          {ends[0], Role::proposed},
          {momentum, Role::state},
          {ends[1], Role::proposed},
          {of, Role::law},
          {p_law, Role::law}},
         std::move(outputs));
}

/// Reads the newest momentum first, by the law that it had last.
void WiringWriter::redraw() {
  if (momenta_.empty()) return;
  const int back = tape_.option(static_cast<int>(momenta_.size()));
  const Variable p = momenta_[momenta_.size() - 1 - static_cast<std::size_t>(back)];
  guard();
  const bool full = tape_.option(2) == 0;
  std::vector<Input> inputs{{last_momentum_law_.at(p.id), Role::law}, noise("redraw")};
  if (!full) inputs.push_back({graph_.current(p), Role::state});
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  Traits traits;
  traits.keeps_law = traits.renews = true;
  traits.full = full;
  graph_.add(named("redraw"), OperationKind::refresh, traits, std::move(inputs), {Output::next(p)},
             some_body());
}

void WiringWriter::exchange() {
  const Value a = state(slots_[0]), b = state(slots_[1]);
  const Value law_a = law(0);
  const auto ends = graph_.exchange(named("exchange"), a, b);
  guard();
  accept({{a, Role::state},
          {ends.first, Role::proposed},
          {b, Role::state},
          {ends.second, Role::proposed},
          {law_a, Role::law},
          {factors_[1], Role::law}},
         {Output::next(slots_[0]), Output::next(slots_[1])});
}

void WiringWriter::mirror() {
  const std::size_t k = slot();
  guard();
  const Variable y = graph_.auxiliary(named("y"), place);
  const Law q = some_law();
  const auto body = some_body();
  const Value from = graph_.current(slots_[k]);
  const Value extra = number();
  const Value here = proposal_law("q", from, extra, q, body);
  Traits traits;
  traits.keeps_law = traits.full = true;
  graph_.add(named("propose"), OperationKind::refresh, traits,
             {{here, Role::law}, noise("normals")}, {Output::next(y)}, some_body());
  const auto ends = graph_.exchange(named("exchange"), from, graph_.current(y));
  const Value of = law(k);
  std::vector<Input> inputs{{from, Role::state},
                            {ends.first, Role::proposed},
                            {graph_.current(y), Role::state},
                            {ends.second, Role::proposed},
                            {of, Role::law},
                            {here, Role::law}};
  if (tape_.option(2) == 0)
    inputs.push_back({proposal_law("q-there", ends.first, extra, q, body), Role::law_at_proposal});
  accept(std::move(inputs), {Output::next(slots_[k])});
}

/// Position and normals are proposed and accepted together. An option leaves out the law at the
/// proposal, the normals, or the position.
void WiringWriter::pseudo() {
  guard();
  const Value from = state(slots_[0]), z = state(normals_);
  const Law how = some_law();
  const auto body = some_body();
  const Value here = estimate("estimate", z, how, body);
  Traits keeps;
  keeps.keeps_law = true;
  keeps.flips = Flips::noise;
  std::vector<Input> inputs{{z, Role::state}, noise("normals")};
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  const Value z_end = graph_
                          .add(named("normals"), OperationKind::move, keeps, std::move(inputs),
                               {Output::derived(named("z-end"), place)}, some_body())
                          .front();
  std::vector<Input> steps{{from, Role::state}, {factors_[0], Role::law}};
  if (const Value size = number()) steps.push_back({size, Role::parameter});
  steps.push_back(noise("step"));
  const Value end = move("move", Flips::noise, std::move(steps));
  enum { nothing, law_there, normals, position };
  const int without = tape_.option(4);
  std::vector<Input> decides{{from, Role::state},
                             {z, Role::state},
                             {without == position ? from : end, Role::proposed},
                             {without == normals ? z : z_end, Role::proposed},
                             {here, Role::law}};
  if (without != law_there)
    decides.push_back({estimate("estimate-there", without == normals ? z : z_end, how, body),
                       Role::law_at_proposal});
  std::vector<Output> outputs;
  if (without != position) outputs.push_back(Output::next(slots_[0]));
  if (without != normals) outputs.push_back(Output::next(normals_));
  accept(std::move(decides), std::move(outputs));
}

/// One stage, or two equal stages, on a copy of the slot. Their law may depend on a number.
void WiringWriter::stages() {
  const std::size_t k = slot();
  const Value target = law(k);
  const Variable trial = graph_.trial(named("trial"), slots_[k]);
  const Value from = graph_.current(slots_[k]);
  graph_.begin_trial(trial);
  const Law how = some_law();
  const Value of = number();
  const Value by =
      of ? graph_
               .add(named("stage-law"), OperationKind::pure, {},
                    {{factors_[k], Role::law}, {of, Role::parameter}},
                    {Output::derived(named("stage-law"), graph_[of].rows, how)}, some_body())
               .front()
         : graph_.constant(named("stage-law"), how);
  const Cached here = graph_.evaluation(by, trial);
  const bool twice = tape_.option(2) == 1;
  const std::pair bodies(some_body(), some_body());
  const Value size = number();
  stage("first", trial, by, size, bodies);
  if (twice) stage("second", trial, by, size, bodies);
  const Value proposed = graph_.current(trial);
  const Cached there = graph_.evaluation(by, trial);
  accept({{from, Role::state},
          {proposed, Role::proposed},
          {target, Role::law},
          {by, Role::stage_law},
          {here.u, Role::evaluation},
          {there.u, Role::evaluation}},
         {Output::next(slots_[k])});
}

void WiringWriter::stage(
    const char* path, Variable trial, Value law, Value size,
    const std::pair<std::shared_ptr<const Body>, std::shared_ptr<const Body>>& bodies) {
  const std::string name = named(path);
  graph_.begin_description(stage_kernel);
  std::vector<Input> inputs{{graph_.current(trial), Role::state}, {law, Role::law}};
  if (size) inputs.push_back({size, Role::parameter});
  inputs.push_back(noise((std::string(path) + "-step").c_str()));
  const Value end =
      graph_
          .add(name + "/move", OperationKind::move, reversible(Flips::noise), std::move(inputs),
               {Output::derived(name + "/end", place)}, bodies.first)
          .front();
  graph_.add(name + "/accept", OperationKind::accept, {},
             {{graph_.current(trial), Role::state},
              {end, Role::proposed},
              {law, Role::law},
              {graph_.noise(name + "/chance"), Role::noise}},
             {Output::next(trial), Output::derived(name + "/outcome", digest)}, bodies.second);
  graph_.end_description();
}

// ---- updates without a decision

void WiringWriter::opaque() {
  const std::size_t k = slot();
  guard();
  std::vector<Input> inputs{{state(slots_[k]), Role::state}};
  if (const Value beside = bystander()) inputs.push_back({beside, Role::state});
  inputs.push_back({law(k), Role::law});
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  inputs.push_back(noise("noise"));
  Traits traits;
  traits.invariant = true;
  graph_.add(named("kernel"), OperationKind::move, traits, std::move(inputs),
             {Output::next(slots_[k])}, some_body());
}

void WiringWriter::draw() {
  const std::size_t k = slot();
  guard();
  Traits traits;
  traits.keeps_law = true;
  traits.full = tape_.option(2) == 0;
  std::vector<Input> inputs{{law(k), Role::law}};
  inputs.push_back(noise("noise"));
  if (!traits.full) inputs.push_back({state(slots_[k]), Role::state});
  if (const Value size = number()) inputs.push_back({size, Role::parameter});
  graph_.add(named("draw"), OperationKind::refresh, traits, std::move(inputs),
             {Output::next(slots_[k])}, some_body());
}

void WiringWriter::drift() {
  const std::size_t k = slot();
  guard();
  std::vector<Input> inputs{{graph_.current(slots_[k]), Role::state}, {batch_law(k), Role::law}};
  if (const Value size = bounded("size")) inputs.push_back({size, Role::parameter});
  inputs.push_back(noise("noise"));
  Traits traits;
  traits.order = 1;
  traits.local = true;
  graph_.add(named("drift"), OperationKind::move, traits, std::move(inputs),
             {Output::next(slots_[k])}, some_body());
}

}  // namespace mixwell::testing
