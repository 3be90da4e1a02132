// The contract of every Integrator.
// SPDX-License-Identifier: Apache-2.0
#include <mixwell/base/random.hpp>
#include <mixwell/contracts/integrator.hpp>

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <cmath>
#include <cstring>
#include <string>

namespace mixwell::contracts {
namespace {

constexpr Index dimension = 3;

/// The variance that the target declares for the noise of its gradient. It is so small that any
/// friction is large enough for it.
constexpr double gradient_variance = 1e-6;

/// U = sum theta_i^4 / 4 + 1/2 theta' K theta with K_ij = 0.3 + delta_ij: coupled, anharmonic.
class Anharmonic final : public Potential, public GradientNoise {
 public:
  const GradientNoise* as_noise() const noexcept override { return this; }
  void covariance_diagonal(const Numbers&, ConstBatch, std::uint32_t, Batch out,
                           Workspace&) const override {
    ++count;
    out.setConstant(gradient_variance);
  }
  void covariance(const Numbers&, ConstBatch, std::uint32_t, Batch out, Workspace&) const override {
    ++count;
    out.setZero();
    for (Index i = 0; i < dimension; ++i)
      out.row(i * (dimension + 1)).setConstant(gradient_variance);
  }
  void evaluate(const Numbers&, ConstBatch theta, const Evaluation& out) const override {
    ++count;
    Batch g = out.gradient;
    for (Index j = 0; j < theta.cols(); ++j) {
      const double sum = 0.3 * theta.col(j).sum();
      g.col(j) = theta.col(j).array().cube() + theta.col(j).array() + sum;
      if (out.wants_potential()) {
        out.u()(j) = 0.25 * theta.col(j).array().pow(4).sum() +
                     0.5 * (theta.col(j).squaredNorm() + sum * theta.col(j).sum());
      }
    }
  }
  mutable Index count = 0;
};

/// H as its d*d numbers, S its Cholesky factor, C = S^-T.
class DensePreconditioner final : public Representation {
 public:
  void H(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override { out = h(n) * v; }
  void B(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override {
    out = h(n).inverse() * v;
  }
  void S(const Numbers& n, ConstBatch z, Batch out, Workspace&) const override { out = s(n) * z; }
  void St(const Numbers& n, ConstBatch v, Batch out, Workspace&) const override {
    out = s(n).transpose() * v;
  }
  void C(const Numbers& n, ConstBatch z, Batch out, Workspace&) const override {
    out = s(n).transpose().inverse() * z;
  }
  void log_det_H(const Numbers& n, Index, Row out, Workspace&) const override {
    out.setConstant(2.0 * s(n).diagonal().array().log().sum());
  }

 private:
  static Eigen::MatrixXd h(const Numbers& n) {
    return Eigen::Map<const Eigen::MatrixXd>(n.column(0), dimension, dimension);
  }
  static Eigen::MatrixXd s(const Numbers& n) { return h(n).llt().matrixL(); }
};

/// Each column has the same noise, so a column does not depend on its neighbours.
class SharedNormals final : public NormalSource {
 public:
  explicit SharedNormals(std::uint64_t seed) : stream_(seed, "contracts/integrator/noise") {}
  void normals(Batch out, std::uint32_t draw) const override {
    Eigen::VectorXd z(out.rows());
    stream_.normals({0, draw, 0}, z);
    out.colwise() = z;
  }

 private:
  Stream stream_;
};

struct Case {
  Coupling coupling;
  const char* name;
};
constexpr Case cases[] = {{Coupling::none, "(I, I)"},
                          {Coupling::mass, "(I, B)"},
                          {Coupling::symmetric, "(H, I)"},
                          {Coupling::factor, "(S, I)"},
                          {Coupling::one_sided, "A = H on one side"}};

struct Point {
  Eigen::MatrixXd theta;
  Eigen::MatrixXd p;
};

struct End {
  Point at;
  Eigen::MatrixXd g;
  Eigen::RowVectorXd u;
};

class Lab {
 public:
  Lab(const Integrator& integrator, Coupling coupling)
      : integrator_(integrator), coupling_(coupling), numbers_(dimension * dimension, 1) {
    Eigen::Matrix3d h;
    h << 1.0, 0.4, 0.1, 0.4, 0.7, -0.2, 0.1, -0.2, 0.5;
    numbers_ = Eigen::Map<const Eigen::VectorXd>(h.data(), h.size());
  }

  End follow(const Point& start, std::int64_t steps, const Eigen::RowVectorXd& eps,
             std::uint32_t steps_before = 0) {
    End end{start, Eigen::MatrixXd(start.theta.rows(), start.theta.cols()),
            Eigen::RowVectorXd(start.theta.cols())};
    const Law law(target_, ConstMatrixMap(nullptr, 0, start.theta.cols()));
    law.evaluate(end.at.theta, {nullptr, end.g, scratch_});
    const Flow flow(coupling_, preconditioner());
    Eigen::MatrixXd step(start.theta.rows(), start.theta.cols());
    step.rowwise() = eps;
    const Motion motion{law,      flow,         {step.data(), step.rows(), step.cols()},
                        scratch_, steps_before, integrator_.has_noise() ? &noise_ : nullptr};
    target_.count = 0;
    integrator_.advance({end.at.theta, end.at.p, end.g}, steps, motion, end.u.data());
    return end;
  }

  End follow(const Point& start, std::int64_t steps, double eps) {
    return follow(start, steps, Eigen::RowVectorXd::Constant(start.theta.cols(), eps));
  }

  /// U + 1/2 p' M^-1 p.
  double energy(const Point& x) {
    const Law law(target_, ConstMatrixMap(nullptr, 0, 1));
    Eigen::RowVectorXd u(1);
    Eigen::MatrixXd g(dimension, 1);
    law.evaluate(x.theta, {u.data(), g, scratch_});
    Eigen::MatrixXd v = x.p;
    if (coupling_ == Coupling::mass) preconditioner().H(x.p, v, scratch_);
    return u(0) + 0.5 * x.p.cwiseProduct(v).sum();
  }

  Eigen::MatrixXd gradient(const Eigen::MatrixXd& theta, Eigen::RowVectorXd& u) {
    Eigen::MatrixXd g(theta.rows(), theta.cols());
    u.resize(theta.cols());
    const Law law(target_, ConstMatrixMap(nullptr, 0, theta.cols()));
    law.evaluate(theta, {u.data(), g, scratch_});
    return g;
  }
  Index evaluations() const { return target_.count; }

 private:
  Preconditioner preconditioner() const {
    return {how_, ConstMatrixMap(numbers_.data(), numbers_.rows(), numbers_.cols())};
  }

  const Integrator& integrator_;
  Coupling coupling_;
  Anharmonic target_;
  DensePreconditioner how_;
  Eigen::MatrixXd numbers_;
  SharedNormals noise_{3};
  Workspace scratch_;
};

Point random_point(Index columns) {
  Point x{Eigen::MatrixXd(dimension, columns), Eigen::MatrixXd(dimension, columns)};
  const Stream stream(11, "contracts/integrator");
  stream.normals({0, 0, 0}, x.theta);
  stream.normals({0, 1, 0}, x.p);
  return x;
}

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

Finding reversible(Lab& lab, const std::string& name) {
  const Point start = random_point(4);
  Point there = lab.follow(start, 10, 0.1).at;
  there.p = -there.p;
  const Point back = lab.follow(there, 10, 0.1).at;
  const double error = std::max((back.theta - start.theta).norm(), (back.p + start.p).norm());
  return {"involution, " + name, error <= 1e-9,
          "the reversed trajectory ends at distance " + number(error) +
              " from the start of the trajectory",
          "involution"};
}

Finding preserves_volume(Lab& lab, const std::string& name) {
  const Point start = random_point(1);
  constexpr double h = 1e-5;
  Eigen::MatrixXd jacobian(2 * dimension, 2 * dimension);
  for (Index k = 0; k < 2 * dimension; ++k) {
    Eigen::VectorXd images[2];
    for (int side = 0; side < 2; ++side) {
      Point moved = start;
      double& x = k < dimension ? moved.theta(k, 0) : moved.p(k - dimension, 0);
      x += side == 0 ? h : -h;
      const Point end = lab.follow(moved, 3, 0.2).at;
      images[side].resize(2 * dimension);
      images[side] << end.theta.col(0), end.p.col(0);
    }
    jacobian.col(k) = (images[0] - images[1]) / (2.0 * h);
  }
  const double det = std::abs(jacobian.determinant());
  return {"volume, " + name, std::abs(det - 1.0) <= 1e-6,
          "the absolute determinant of the Jacobian is " + number(det), "volume"};
}

Finding has_order(Lab& lab, const std::string& name, int order) {
  const Point start = random_point(1);
  const double before = lab.energy(start);
  const double coarse = lab.energy(lab.follow(start, 64, 1.0 / 64).at) - before;
  const double fine = lab.energy(lab.follow(start, 128, 1.0 / 128).at) - before;
  const double ratio = coarse / fine;
  const double wanted = std::pow(2.0, order);
  return {"order, " + name, std::abs(ratio / wanted - 1.0) <= 0.15,
          "the energy errors at step sizes 1/64 and 1/128 are " + number(coarse) + " and " +
              number(fine) + ". Their ratio is " + number(ratio) + " and must be within 15 % of " +
              number(wanted),
          "order"};
}

Finding leaves_gradient(Lab& lab, const std::string& name) {
  const End end = lab.follow(random_point(4), 3, 0.1);
  Eigen::RowVectorXd u;
  const Eigen::MatrixXd g = lab.gradient(end.at.theta, u);
  const double error = (g - end.g).norm() + (u - end.u).norm();
  return {"gradient, " + name, error == 0.0,
          "the returned U and gradient differ from a new evaluation by " + number(error)};
}

/// Two steps at once equal two single steps, with new noise in the second.
Finding has_fresh_noise(Lab& lab, const std::string& name) {
  const Point start = random_point(2);
  const Eigen::RowVectorXd eps = Eigen::RowVectorXd::Constant(2, 0.1);
  const Point both = lab.follow(start, 2, eps).at;
  const Point first = lab.follow(start, 1, eps).at;
  const Point second = lab.follow(first, 1, eps, 1).at;
  const Point repeated = lab.follow(first, 1, eps, 0).at;
  const double error = (second.theta - both.theta).norm() + (second.p - both.p).norm();
  const double fresh = (second.theta - repeated.theta).norm() + (second.p - repeated.p).norm();
  return {"noise, " + name, error <= 1e-12 && fresh > 0.0,
          "two separate steps differ from two steps in one call by " + number(error) +
              " (at most 1e-12 is allowed). With the noise of the first step, the second step "
              "changes by " +
              number(fresh) + ", which must be above 0"};
}

Finding tells_cost(Lab& lab, const Integrator& integrator) {
  lab.follow(random_point(1), 7, 0.1);
  const auto spent = static_cast<std::int64_t>(lab.evaluations());
  return {"cost", spent == integrator.gradients(7),
          "7 steps used " + std::to_string(spent) +
              " gradients. gradients(7) must return the same number, and returns " +
              std::to_string(integrator.gradients(7))};
}

Finding isolated(Lab& lab, const std::string& name) {
  const Point start = random_point(4);
  Eigen::RowVectorXd eps(4);
  eps << 0.1, 0.05, 0.2, 0.01;
  const End a = lab.follow(start, 5, eps);
  Point changed = start;
  changed.theta.col(1).setConstant(NAN);
  eps(1) = 0.3;
  const End b = lab.follow(changed, 5, eps);
  bool same = true;
  for (const Index j : {0, 2, 3}) {
    same = same && std::memcmp(a.at.theta.col(j).data(), b.at.theta.col(j).data(),
                               sizeof(double) * dimension) == 0;
  }
  Point alone{start.theta.col(2), start.p.col(2)};
  const double error = (lab.follow(alone, 5, 0.2).at.theta - a.at.theta.col(2)).norm();
  return {"columns, " + name, same && error <= 1e-12,
          same ? "a separately integrated column differs from the same column in a batch by " +
                     number(error)
               : "a column changed when only its neighbouring column was changed"};
}

}  // namespace

Findings check_integrator(const Integrator& integrator) {
  const Traits traits = integrator.traits();
  Findings findings;
  for (const Case& c : cases) {
    Lab lab(integrator, c.coupling);
    if (traits.involution) findings.push_back(reversible(lab, c.name));
    if (traits.volume) findings.push_back(preserves_volume(lab, c.name));
    if (integrator.has_noise()) {
      findings.push_back(has_fresh_noise(lab, c.name));
    } else if (traits.order > 0 && c.coupling != Coupling::one_sided) {
      findings.push_back(has_order(lab, c.name, traits.order));
    }
    findings.push_back(leaves_gradient(lab, c.name));
    findings.push_back(isolated(lab, c.name));
  }
  Lab lab(integrator, Coupling::none);
  findings.push_back(tells_cost(lab, integrator));
  return findings;
}

}  // namespace mixwell::contracts
