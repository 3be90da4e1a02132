// A kernel whose graph is a program of the manifest: what is moved how, where its noise and its
// parameters come from, what decides. Every trait that it declares is true, unless it is told to
// lie.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/kernel/momentum.hpp>
#include <mixwell/plugin.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace mixwell;

/// Where a body finds a number in [0, 1) of each column: on an edge, or nowhere, and then it is
/// 1/2.
using EdgeIndex = std::optional<std::size_t>;

double number(const ColumnBlock& block, EdgeIndex edge, Index column) {
  return edge ? block.in_row(*edge)(column) : 0.5;
}

/// Input: noise. Outputs: a uniform, d normals; the uniform is Phi of the first normal, so that who
/// takes both takes one noise by two ways.
class SharedDrawBody final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    block.normals(0, block.out(1));
    for (Index j = 0; j < block.columns(); ++j) {
      block.out_row(0)(j) = 0.5 * std::erfc(-std::sqrt(0.5) * block.out(1)(0, j));
    }
  }
};

/// Input: a position. Output: r / (1 + r) of its squared length r.
class PlaceBody final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    const Eigen::ArrayXXd r = block.in(0).colwise().squaredNorm().array();
    block.out_row(0) = (r / (1.0 + r)).matrix();
  }
};

/// Inputs: register, number. Output: the register's next version.
class KeepNumberBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.out(0) = block.in(1); }
};

/// Inputs: number, and the choice of a guard outside. Output: 1 where the statement runs.
class RunsBody final : public Body {
 public:
  explicit RunsBody(Index outside) : outside_(outside) {}
  void run(ColumnBlock& block) const override {
    for (Index j = 0; j < block.columns(); ++j) {
      const bool within = outside_ < 0 || static_cast<Index>(block.in_row(1)(j)) == outside_;
      block.out_row(0)(j) = within && block.in_row(0)(j) < 0.5 ? 1.0 : 0.0;
    }
  }

 private:
  Index outside_;
};

/// How far a step goes.
struct Reach {
  double scale;
  EdgeIndex edge;
  double of(const ColumnBlock& block, Index column) const {
    return scale * (0.2 + 1.6 * number(block, edge, column));
  }
};

/// Normals that a body draws, or that another one drew: d x w.
void take_normals(ColumnBlock& block, std::size_t edge, bool shared, MatrixMap out) {
  if (shared) {
    out = block.in(edge);
  } else {
    block.normals(edge, out);
  }
}

void evaluate_at(ColumnBlock& block, std::size_t law, ConstBatch theta, std::size_t u) {
  block.law(law).evaluate(theta, {block.out_row(u).data(), block.out(u + 1), block.scratch()});
}

/// Inputs: theta, law, normals. Outputs: theta* = theta + eps z, u*, g*.
class WalkBody final : public Body {
 public:
  WalkBody(Reach reach, bool shared) : reach_(reach), shared_(shared) {}
  void run(ColumnBlock& block) const override {
    MatrixMap z = block.scratch().matrix(block.in(0).rows(), block.columns());
    take_normals(block, 2, shared_, z);
    MatrixMap end = block.out(0);
    for (Index j = 0; j < block.columns(); ++j)
      end.col(j) = block.in(0).col(j) + reach_.of(block, j) * z.col(j);
    evaluate_at(block, 1, end, 1);
  }

 private:
  Reach reach_;
  bool shared_;
};

/// Inputs: theta, law. Outputs: theta* = 2 c - theta, c the same number in all coordinates; u*, g*.
class FlipBody final : public Body {
 public:
  explicit FlipBody(EdgeIndex centre) : centre_(centre) {}
  void run(ColumnBlock& block) const override {
    MatrixMap end = block.out(0);
    for (Index j = 0; j < block.columns(); ++j)
      end.col(j) = (4.0 * number(block, centre_, j) - 2.0 - block.in(0).col(j).array()).matrix();
    evaluate_at(block, 1, end, 1);
  }

 private:
  EdgeIndex centre_;
};

/// Inputs: theta, law, momentum. Outputs: theta*, u*, g*, p* of three leapfrog steps.
class LeapBody final : public Body {
 public:
  explicit LeapBody(Reach reach) : reach_(reach) {}
  void run(ColumnBlock& block) const override {
    MatrixMap end = block.out(0);
    MatrixMap g = block.out(2);
    MatrixMap p = block.out(3);
    end = block.in(0);
    p = block.in(2);
    evaluate_at(block, 1, end, 1);
    for (int step = 0; step < 3; ++step) {
      for (Index j = 0; j < block.columns(); ++j) {
        p.col(j) -= 0.5 * reach_.of(block, j) * g.col(j);
        end.col(j) += reach_.of(block, j) * p.col(j);
      }
      evaluate_at(block, 1, end, 1);
      for (Index j = 0; j < block.columns(); ++j) p.col(j) -= 0.5 * reach_.of(block, j) * g.col(j);
    }
  }

 private:
  Reach reach_;
};

/// Inputs: law, normals, and where it is kept in part the momentum. Output: p = z, or 0.7 p +
/// sqrt(0.51) z where it was drawn before. `sd` is 1, or a lie.
class RedrawBody final : public Body {
 public:
  RedrawBody(bool keeps, bool shared, double sd) : keeps_(keeps), shared_(shared), sd_(sd) {}
  void run(ColumnBlock& block) const override {
    MatrixMap p = block.out(0);
    MatrixMap z = block.scratch().matrix(p.rows(), p.cols());
    take_normals(block, 1, shared_, z);
    for (Index j = 0; j < block.columns(); ++j) {
      const bool is_new = !keeps_ || (block.in(2).col(j).array() == 0.0).all();
      if (is_new) {
        p.col(j) = sd_ * z.col(j);
      } else {
        p.col(j) = 0.7 * block.in(2).col(j) + std::sqrt(0.51) * sd_ * z.col(j);
      }
    }
  }

 private:
  bool keeps_;
  bool shared_;
  double sd_;
};

/// Inputs: theta, theta*, law, u, g, u*, g*, chance; with a momentum p, p*, its law. Outputs:
/// theta, u, g, acceptance, and p, reversed where the proposal was not taken.
class DecideBody final : public Body {
 public:
  enum In : std::size_t { theta, theta_end, law, u, g, u_end, g_end, chance, p, p_end, p_law };
  DecideBody(bool draws, bool has_momentum, double exponent)
      : draws_(draws), has_momentum_(has_momentum), exponent_(exponent) {}

  void run(ColumnBlock& block) const override {
    RowMap uniform = block.scratch().row(block.columns());
    if (draws_) {
      block.uniforms(chance, uniform);
    } else {
      uniform = block.in_row(chance);
    }
    for (Index j = 0; j < block.columns(); ++j) column(block, j, uniform(j));
  }

 private:
  void column(ColumnBlock& block, Index j, double uniform) const {
    double drop = block.in_row(u)(j) - block.in_row(u_end)(j);
    if (has_momentum_) {
      drop += 0.5 * (block.in(p).col(j).squaredNorm() - block.in(p_end).col(j).squaredNorm());
    }
    const double rate = std::isfinite(drop) ? std::exp(std::min(0.0, exponent_ * drop)) : 0.0;
    const bool taken = uniform < rate;
    block.out(0).col(j) = block.in(taken ? theta_end : theta).col(j);
    block.out_row(1)(j) = block.in_row(taken ? u_end : u)(j);
    block.out(2).col(j) = block.in(taken ? g_end : g).col(j);
    block.out_row(3)(j) = rate;
    if (!has_momentum_) return;
    if (taken) {
      block.out(4).col(j) = block.in(p_end).col(j);
    } else {
      block.out(4).col(j) = -block.in(p).col(j);
    }
  }

  bool draws_;
  bool has_momentum_;
  double exponent_;  ///< of the ratio: 1, or a lie
};

/// Inputs: theta, law, normals. Output: theta - eps g + sqrt(2 eps) z.
class DriftBody final : public Body {
 public:
  DriftBody(Reach reach, bool shared) : reach_(reach), shared_(shared) {}
  void run(ColumnBlock& block) const override {
    const Index d = block.in(0).rows();
    MatrixMap z = block.scratch().matrix(d, block.columns());
    MatrixMap g = block.scratch().matrix(d, block.columns());
    take_normals(block, 2, shared_, z);
    block.law(1).evaluate(block.in(0), {nullptr, g, block.scratch()});
    for (Index j = 0; j < block.columns(); ++j) {
      const double eps = reach_.of(block, j);
      block.out(0).col(j) = block.in(0).col(j) - eps * g.col(j) + std::sqrt(2.0 * eps) * z.col(j);
    }
  }

 private:
  Reach reach_;
  bool shared_;
};

/// Inputs: law, normals, number c. Output: the numbers of a law, the normals and the reference 4 c
/// - 2.
class ControlVariateBody final : public Body {
 public:
  void run(ColumnBlock& block) const override {
    MatrixMap numbers = block.out(0);
    const Index d = numbers.rows() - 1;
    numbers.topRows(d) = block.in(1);
    numbers.row(d) = (4.0 * block.in_row(2).array() - 2.0).matrix();
  }
};

/// Input: noise. Output: normals.
class NormalsBody final : public Body {
 public:
  void run(ColumnBlock& block) const override { block.normals(0, block.out(0)); }
};

/// U, and grad U + (theta - r) z / 2 in every coordinate, as a control variate with reference r has
/// it: right in the mean for every r, and without noise at r.
class ControlVariate final : public Potential {
 public:
  explicit ControlVariate(std::shared_ptr<const Potential> base) : base_(std::move(base)) {}

  void evaluate(const Numbers& numbers, ConstBatch theta, const Evaluation& out) const override {
    const Index d = theta.rows();
    base_->evaluate({ConstMatrixMap(nullptr, 0, theta.cols())}, theta, out);
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double* const z = numbers.column(j);
      for (Index i = 0; i < d; ++i) g(i, j) += 0.5 * (theta(i, j) - z[d]) * z[i];
    }
  }

 private:
  std::shared_ptr<const Potential> base_;
};

/// One line of a program: a verb, and words key=value.
struct Statement {
  std::string verb;
  std::map<std::string, std::string> words;

  std::string word(const std::string& key, const std::string& otherwise) const {
    const auto found = words.find(key);
    return found == words.end() ? otherwise : found->second;
  }
};

const std::map<std::string, std::vector<std::string>>& keys_of_verbs() {
  static const std::map<std::string, std::vector<std::string>> all = {
      {"walk", {"size", "normals", "chance", "if"}},
      {"flip", {"centre", "chance", "if"}},
      {"leap", {"size", "normals", "momentum", "around", "batch", "chance", "if"}},
      {"drift", {"size", "normals", "around", "batch", "if"}},
      {"keep", {"register", "of", "phase", "if"}}};
  return all;
}

Statement parsed(const std::string& line) {
  std::istringstream in(line);
  Statement statement;
  in >> statement.verb;
  const auto known = keys_of_verbs().find(statement.verb);
  if (known == keys_of_verbs().end()) {
    throw ParameterError("program", "`" + line +
                                        "` begins with none of walk, flip, leap, drift, "
                                        "keep");
  }
  for (std::string word; in >> word;) {
    const std::string key = word.substr(0, word.find('='));
    const auto& keys = known->second;
    if (key == word || std::find(keys.begin(), keys.end(), key) == keys.end()) {
      throw ParameterError("program", "`" + statement.verb + "` has no `" + word + "`");
    }
    statement.words[key] = word.substr(key.size() + 1);
  }
  return statement;
}

/// 1 is the truth.
struct Lie {
  double exponent = 1.0;
  double momentum_sd = 1.0;
};

/// Adds the operations of one kernel at one site.
class Wiring {
 public:
  Wiring(KernelGraph& graph, const Site& site, Value law, Lie lie)
      : graph_(graph), site_(site), law_(law), lie_(lie), at_start_(graph.current(site.slot)) {}

  void add(const Statement& statement, std::size_t k) {
    path_ = site_.path + "/" + std::to_string(k);
    const Guard outside = guard(statement);
    if (statement.verb == "walk") walk(statement);
    if (statement.verb == "flip") flip(statement);
    if (statement.verb == "leap") leap(statement);
    if (statement.verb == "drift") drift(statement);
    if (statement.verb == "keep") keep(statement);
    graph_.set_guard(outside);
  }

 private:
  /// Sets the guard that the statement asks for, within the one outside, which is returned.
  Guard guard(const Statement& statement) {
    const Guard outside = graph_.set_guard();
    graph_.set_guard(outside);
    const Value number = source(statement.word("if", "constant"), "if");
    if (!number) return outside;
    std::vector<Input> inputs{{number, Role::parameter}};
    if (outside) inputs.push_back({outside.choice, Role::parameter});
    graph_.set_guard();
    const Value runs = graph_
                           .add(path_ + "/runs", OperationKind::pure, {}, std::move(inputs),
                                {Output::derived(path_ + "/runs", 1)},
                                std::make_shared<RunsBody>(outside ? outside.branch : -1))
                           .front();
    graph_.set_guard({runs, 1});
    return outside;
  }

  /// A number in [0, 1) of each column; none: 1/2.
  Value source(const std::string& name, const std::string& what) {
    if (name == "constant") return {};
    if (name == "position") return place(graph_.current(site_.slot), what);
    if (name == "start") return place(at_start_, what);
    if (name == "others")
      return site_.memory.points.empty() ? Value{} : place(site_.memory.points.front(), what);
    if (name == "outcome") return outcome_;
    if (name == "proposed") return proposed_ ? place(proposed_, what) : Value{};
    if (name.starts_with("noise:")) return shared(name.substr(6)).first;
    if (name.starts_with("register:")) return graph_.current(cell(name.substr(9)));
    throw ParameterError("program", "there is no source `" + name + "`");
  }

  Value place(Value position, const std::string& what) {
    return graph_
        .add(path_ + "/" + what, OperationKind::pure, {}, {{position, Role::parameter}},
             {Output::derived(path_ + "/" + what, 1)}, std::make_shared<PlaceBody>())
        .front();
  }

  Value find(const std::string& name) const {
    for (std::size_t k = 0; k < graph_.values().size(); ++k) {
      if (graph_.values()[k].name == name) return {static_cast<std::int32_t>(k)};
    }
    return {};
  }

  /// The uniform and the normals of a noise that all who name it share, drawn in every column.
  std::pair<Value, Value> shared(const std::string& name) {
    const std::string path = "shared/" + name;
    if (const Value uniform = find(path)) return {uniform, find(path + "/normals")};
    const Guard guard = graph_.set_guard();
    const auto drawn = graph_.add(
        path, OperationKind::pure, {}, {{graph_.noise(path + "/draw"), Role::noise}},
        {Output::derived(path, 1), Output::derived(path + "/normals", graph_[site_.slot].rows)},
        std::make_shared<SharedDrawBody>());
    graph_.set_guard(guard);
    return {drawn[0], drawn[1]};
  }

  /// A register that all who name it share.
  Variable cell(const std::string& name) {
    for (std::size_t k = 0; k < graph_.variables().size(); ++k) {
      if (graph_.variables()[k].name == "cell/" + name) return {static_cast<std::int32_t>(k)};
    }
    return graph_.history("cell/" + name, Eigen::VectorXd::Constant(1, 0.5), Forgets::window);
  }

  struct Normals {
    Input input;
    bool shared;
  };
  Normals normals(const Statement& statement, const std::string& what) {
    const std::string name = statement.word("normals", "own");
    if (name == "own") return {{graph_.noise(path_ + "/" + what), Role::noise}, false};
    return {{shared(name).second, Role::noise}, true};
  }

  EdgeIndex append(std::vector<Input>& inputs, const Statement& statement, const std::string& key) {
    const Value value = source(statement.word(key, "constant"), key);
    if (!value) return std::nullopt;
    inputs.push_back({value, Role::parameter});
    return inputs.size() - 1;
  }

  /// The law of a statement: the model's, or with a control variate.
  Value law_of(const Statement& statement) {
    const Value reference = source(statement.word("around", "constant"), "around");
    if (!reference) return law_;
    const std::string batch = statement.word("batch", "own");
    const Value normals = batch == "own" ? own_batch() : shared(batch).second;
    Traits traits;
    traits.unbiased = true;
    traits.exact_potential = true;
    auto how = std::make_shared<ControlVariate>(
        std::dynamic_pointer_cast<const Potential>(graph_[law_].function));
    const std::string name = path_ + "/control-variate";
    return graph_
        .add(name, OperationKind::pure, traits,
             {{law_, Role::law}, {normals, Role::parameter}, {reference, Role::parameter}},
             {Output::derived(name, graph_[site_.slot].rows + 1, std::move(how))},
             std::make_shared<ControlVariateBody>())
        .front();
  }

  Value own_batch() {
    const std::string name = path_ + "/batch";
    return graph_
        .add(name, OperationKind::pure, {}, {{graph_.noise(name), Role::noise}},
             {Output::derived(name, graph_[site_.slot].rows)}, std::make_shared<NormalsBody>())
        .front();
  }

  static Traits reversible(Flips flips) {
    Traits traits;
    traits.involution = true;
    traits.volume = true;
    traits.flips = flips;
    return traits;
  }

  std::vector<Output> ends() const {
    const Index d = graph_[site_.slot].rows;
    return {Output::derived(path_ + "/theta*", d), Output::derived(path_ + "/u*", 1),
            Output::derived(path_ + "/g*", d)};
  }

  void walk(const Statement& statement) {
    const Normals z = normals(statement, "step");
    std::vector<Input> inputs{
        {graph_.current(site_.slot), Role::state}, {law_, Role::law}, z.input};
    const Reach reach{1.0, append(inputs, statement, "size")};
    Traits traits = reversible(Flips::noise);
    traits.local = true;
    decide(statement,
           graph_.add(path_ + "/walk", OperationKind::move, traits, std::move(inputs), ends(),
                      std::make_shared<WalkBody>(reach, z.shared)),
           law_);
  }

  void flip(const Statement& statement) {
    std::vector<Input> inputs{{graph_.current(site_.slot), Role::state}, {law_, Role::law}};
    const EdgeIndex centre = append(inputs, statement, "centre");
    decide(statement,
           graph_.add(path_ + "/flip", OperationKind::move, reversible(Flips::nothing),
                      std::move(inputs), ends(), std::make_shared<FlipBody>(centre)),
           law_);
  }

  void leap(const Statement& statement) {
    const Variable p = graph_.auxiliary(path_ + "/p", graph_[site_.slot].rows);
    const Value p_law =
        add_momentum_law(graph_, path_ + "/p-law", Coupling::none, nullptr, {}).value;
    const bool keeps = statement.word("momentum", "fresh") == "kept";
    refresh(statement, p, p_law, keeps);
    const Value law = law_of(statement);
    std::vector<Input> inputs{{graph_.current(site_.slot), Role::state},
                              {law, Role::law},
                              {graph_.current(p), Role::state}};
    const Reach reach{0.35, append(inputs, statement, "size")};
    std::vector<Output> outputs = ends();
    outputs.push_back(Output::derived(path_ + "/p*", graph_[site_.slot].rows));
    decide(statement,
           graph_.add(path_ + "/leap", OperationKind::move, reversible(Flips::momentum),
                      std::move(inputs), std::move(outputs), std::make_shared<LeapBody>(reach)),
           law, p, p_law);
  }

  void refresh(const Statement& statement, Variable p, Value p_law, bool keeps) {
    const Normals z = normals(statement, "refresh");
    Traits traits;
    traits.keeps_law = true;
    traits.full = !keeps;
    traits.renews = true;
    std::vector<Input> inputs{{p_law, Role::law}, z.input};
    if (keeps) inputs.push_back({graph_.current(p), Role::state});
    graph_.add(path_ + "/refresh", OperationKind::refresh, traits, std::move(inputs),
               {Output::next(p)}, std::make_shared<RedrawBody>(keeps, z.shared, lie_.momentum_sd));
  }

  void decide(const Statement& statement, const std::vector<Value>& end, Value law, Variable p = {},
              Value p_law = {}) {
    const bool has_momentum = static_cast<bool>(p_law);
    const Cached at = graph_.evaluation(law, site_.slot);
    const Value from = source(statement.word("chance", "constant"), "chance");
    std::vector<Input> inputs{{graph_.current(site_.slot), Role::state},
                              {end[0], Role::proposed},
                              {law, Role::law},
                              {at.u, Role::evaluation},
                              {at.g, Role::evaluation},
                              {end[1], Role::evaluation},
                              {end[2], Role::evaluation}};
    inputs.push_back(from ? Input{from, Role::parameter}
                          : Input{graph_.noise(path_ + "/chance"), Role::noise});
    const Index d = graph_[site_.slot].rows;
    std::vector<Output> outputs{Output::next(site_.slot),
                                Output::evaluation(path_ + "/u", 1, law, site_.slot),
                                Output::evaluation(path_ + "/g", d, law, site_.slot),
                                Output::derived(path_ + "/acceptance", 1)};
    if (has_momentum) {
      inputs.push_back({graph_.current(p), Role::state});
      inputs.push_back({end[3], Role::proposed});
      inputs.push_back({p_law, Role::law});
      outputs.push_back(Output::next(p));
    }
    outcome_ = graph_.add(path_ + "/accept", OperationKind::accept, {}, std::move(inputs),
                          std::move(outputs),
                          std::make_shared<DecideBody>(!from, has_momentum, lie_.exponent))[3];
    proposed_ = end[0];
  }

  void drift(const Statement& statement) {
    const Normals z = normals(statement, "step");
    std::vector<Input> inputs{
        {graph_.current(site_.slot), Role::state}, {law_of(statement), Role::law}, z.input};
    const Reach reach{0.01, append(inputs, statement, "size")};
    Traits traits;
    traits.order = 1;
    traits.local = true;
    graph_.add(path_ + "/drift", OperationKind::move, traits, std::move(inputs),
               {Output::next(site_.slot)}, std::make_shared<DriftBody>(reach, z.shared));
  }

  void keep(const Statement& statement) {
    const Variable kept = cell(statement.word("register", "r"));
    const std::string phase = statement.word("phase", "both");
    if (phase != "both" && phase != "warm-up") {
      throw ParameterError("program", "there is no phase `" + phase + "`");
    }
    if (phase == "warm-up" && site_.phase != PhaseKind::warmup) return;
    const Value number = source(statement.word("of", "position"), "of");
    if (!number) return;
    graph_.add(path_ + "/keep", OperationKind::observe, {},
               {{graph_.current(kept), Role::state}, {number, Role::parameter}},
               {Output::next(kept)}, std::make_shared<KeepNumberBody>());
  }

  KernelGraph& graph_;
  const Site& site_;
  Value law_;
  Lie lie_;
  Value at_start_;
  Value outcome_;
  Value proposed_;
  std::string path_;
};

class WiredSteps final : public Kernel {
 public:
  struct Params {
    std::shared_ptr<const Oracle> oracle;
    std::vector<std::string> program{"walk"};
    Lie lie{};
    void declare(Fields& fields) {
      fields.component("oracle", oracle).or_default("exact").help("where U comes from");
      fields.texts("program", program).help("statements, in their order: docs/compositions.md");
      fields.number("ratio_exponent", lie.exponent)
          .above(0)
          .help("of the acceptance ratio; all but 1 is a lie");
      fields.number("momentum_sd", lie.momentum_sd)
          .above(0)
          .help("of momenta that are declared to have 1; all but 1 is a lie");
    }
  };
  explicit WiredSteps(const Params& params) : oracle_(params.oracle), lie_(params.lie) {
    for (const std::string& line : params.program) program_.push_back(parsed(line));
  }

  void describe(KernelGraph& graph, const Site& site) const override {
    Wiring wiring(graph, site, oracle_->law_for(graph, site), lie_);
    for (std::size_t k = 0; k < program_.size(); ++k) wiring.add(program_[k], k);
  }

 private:
  std::shared_ptr<const Oracle> oracle_;
  std::vector<Statement> program_;
  Lie lie_;
};

}  // namespace

MIXWELL_PLUGIN(registrar) {
  registrar.add<WiredSteps>(
      {.id = "wired-steps", .summary = "steps, wired as a program of the manifest says"});
}
