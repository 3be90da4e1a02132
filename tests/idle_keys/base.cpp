// A small manifest with one component, its keys at their defaults.
// SPDX-License-Identifier: Apache-2.0
#include "base.hpp"

#include "compositions/choice.hpp"
#include "temporary_folder.hpp"

#include <map>

namespace idle_keys {
namespace {

using mixwell::Entry;
using mixwell::Field;
using mixwell::Kind;

const std::string plane = "[model.m]\nuse = \"quartic\"\ndimension = 2\n";
const std::string cases = "[model.m]\nuse = \"probit-regression\"\ncases = 61\ndimension = 1\n";
const std::string counts = "[model.m]\nuse = \"changepoint\"\ncounts = [4, 5, 2, 1, 0]\n";
const std::string effects =
    "[model.m]\nuse = \"random-effects\"\nvalues = [2.8, 0.8, -0.3]\nsds = [0.5, 1.0, 0.6]\n";
const std::string process =
    "[model.m]\nuse = \"gaussian-process\"\ninputs = [-2.0, -0.5, 1.0]\nvalues = [0.3, -0.2, "
    "1.1]\n";
const std::string batch = "[oracle.batch]\nuse = \"minibatch\"\nsize = 10\n";
const std::string hmc = "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\n";
/// Steps of which many are rejected.
const std::string long_hmc = "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.9\nsteps = 3\n";
const std::string langevin = "[kernel.langevin]\nuse = \"langevin\"\nstep_size = 0.02\n";
const std::string short_langevin = "[kernel.langevin]\nuse = \"langevin\"\nstep_size = 1e-4\n";
const std::string walk = "[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 0.5\n";
const std::string lbfgs = "[estimator.lbfgs]\nuse = \"lbfgs\"\nsort = false\n";
const std::string chain = "[compositor.c]\nuse = \"chain\"\nkernel = \"subject\"\n";
const std::string ensemble = "[compositor.c]\nuse = \"ensemble-chain\"\nslots = 5\n";

std::string blocks(const std::string& first, const std::string& rest, const std::string& others) {
  return "[compositor.c]\nuse = \"blocks\"\n[[compositor.c.update]]\nparameters = " + first +
         "\nkernel = \"subject\"\n[[compositor.c.update]]\nparameters = " + rest + "\nkernel = \"" +
         others + "\"\n";
}

const std::string halves =
    "[[SUBJECT.update]]\nparameters = [\"x[0]\"]\nkernel = \"walk\"\n"
    "[[SUBJECT.update]]\nparameters = [\"x[1]\"]\nkernel = \"hmc\"\n";

/// What stands beside the subject's own table, by its kind and id; its kind alone: of all others.
const std::map<std::string, std::string>& besides() {
  static const std::map<std::string, std::string> all = {
      {"kernel", plane},
      {"kernel/hamiltonian", plane + lbfgs + ensemble},
      {"kernel/metropolis-gaussian", plane + lbfgs + ensemble},
      {"kernel/random-walk-metropolis", effects},
      {"kernel/pcn", effects},
      {"kernel/elliptical-slice", process},
      {"kernel/blocks", plane + walk + hmc + chain},
      {"kernel/conditional", counts + "[kernel.gibbs]\nuse = \"gibbs\"\n" +
                                 blocks("[\"before\", \"after\"]", "[\"k\"]", "gibbs")},
      {"kernel/gibbs", counts + walk + blocks("[\"k\"]", "[\"before\", \"after\"]", "walk")},
      {"kernel/delayed-acceptance",
       plane + walk + "oracle = \"exact\"\n" + chain +
           "[oracle.exact]\nuse = \"exact\"\n[oracle.rough]\nuse = \"tempered\"\nbeta = 0.5\n"},
      {"kernel/fisher-scoring", cases + batch},
      {"kernel/recipe", cases},
      {"kernel/riemannian", "[model.m]\nuse = \"probit-regression\"\ncases = 5\ndimension = 1\n"},
      {"kernel/subsampled-metropolis",
       "[model.m]\nuse = \"probit-regression\"\ncases = 300\ndimension = 2\n"},
      {"kernel/prior-metropolis",
       "[model.m]\nuse = \"stable-factorisation\"\ndata = \"" MIXWELL_SOURCE_DIR
       "/papers/hamcmc/examples/mixture.csv\"\nalpha = [1.5]\nranks = [1]\n" +
           walk +
           blocks("[\"angle\", \"energy\"]", "[\"row_factors\", \"column_factors\"]", "walk")},
      {"estimator", plane + hmc + ensemble},
      {"estimator/dense", plane + hmc},
      {"estimator/diagonal", plane + hmc},
      {"estimator/curvature-file", plane + hmc},
      {"estimator/elm-surrogate",
       plane + "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\nratio = "
               "\"target\"\n[oracle.surrogate]\nuse = \"surrogate\"\n"},
      {"estimator/expected-fisher", cases + langevin},
      {"estimator/rms-diagonal", cases + short_langevin},
      {"estimator/natural-gradient",
       "[model.m]\nuse = \"ica\"\ncases = 20\nchannels = 2\n" + langevin},
      {"integrator", plane + langevin},
      {"integrator/leapfrog", plane + hmc},
      {"integrator/euler-maruyama-friction",
       cases + batch +
           "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.02\nsteps = 4\nmetropolis = "
           "false\n"},
      {"oracle", cases + langevin},
      {"oracle/surrogate",
       plane + "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\nsteps = 4\nratio = "
               "\"target\"\n"},
      {"steps", plane + "[kernel.hmc]\nuse = \"hamiltonian\"\nstep_size = 0.3\n"},
      {"compositor", plane + lbfgs + long_hmc},
      {"compositor/chain", plane + hmc},
      {"compositor/cycle", plane + hmc + walk},
      {"compositor/mixture", plane + hmc + walk},
      {"compositor/tempering", plane + hmc},
      {"compositor/pilot-chain", plane + lbfgs + hmc + walk},
      {"compositor/blocks", plane + walk + hmc},
      {"model", walk},
      {"model/changepoint",
       "[kernel.gibbs]\nuse = \"gibbs\"\n[kernel.subject]\nuse = \"random-walk-metropolis\"\n" +
           blocks("[\"before\", \"after\"]", "[\"k\"]", "gibbs")},
      {"model/labelled-mixture",
       "[kernel.gibbs]\nuse = \"gibbs\"\n[kernel.subject]\nuse = \"random-walk-metropolis\"\n" +
           blocks("[\"mean\"]", "[\"label\"]", "gibbs")},
      {"model/mirrored",
       "[model.base]\nuse = \"gamma\"\ndimension = 2\n[compositor.c]\nuse = \"chain\"\nmodel = "
       "\"subject\"\n" +
           walk},
      {"recorder", plane + "[kernel.nuts]\nuse = \"nuts\"\nstep_size = 0.3\n"},
  };
  return all;
}

/// Of the subject's own table: what has to be given, and what makes the other keys matter.
const std::map<std::string, std::string>& own() {
  static const std::map<std::string, std::string> all = {
      {"kernel/hamiltonian", "step_size = 0.3\nsteps = 4\n"},
      {"kernel/metropolis-gaussian", "step_size = 0.3\n"},
      {"kernel/nuts", "step_size = 0.3\n"},
      {"kernel/mala", "step_size = 0.3\n"},
      {"kernel/barker", "step_size = 0.3\n"},
      {"kernel/pcn", "step_size = 0.4\n"},
      {"kernel/langevin", "step_size = 0.02\n"},
      {"kernel/sgd", "step_size = 0.02\n"},
      {"kernel/sgd-momentum", "step_size = 0.02\n"},
      {"kernel/recipe", "step_size = 0.02\n"},
      {"kernel/delayed-acceptance", "kernels = [\"walk\"]\noracle = \"rough\"\n"},
      {"kernel/fixed-form-vb", "iterations = 84\n"},
      {"kernel/subsampled-metropolis", "scale = 0.1\nsize = 30\n"},
      {"estimator/rms-diagonal", "alpha = 0.9\n"},
      {"oracle/strata", "strata = 7\n"},
      {"oracle/minibatch", "size = 20\n"},
      {"oracle/control-variate", "size = 20\n"},
      {"oracle/tempered", "beta = 0.5\n"},
      {"compositor/ensemble-chain", "slots = 4\n"},
      {"compositor/cycle", "kernels = [\"hmc\", \"walk\"]\n"},
      {"compositor/mixture", "kernels = [\"hmc\", \"walk\"]\n"},
      {"compositor/tempering", "inverse_temperatures = [1.0, 0.5]\n"},
      {"compositor/pilot-chain", "pilot = \"walk\"\nkernel = \"hmc\"\n"},
      {"compositor/blocks", halves},
      {"kernel/blocks", halves},
      {"model/mirrored", "of = \"base\"\nparameters = [\"x\"]\n"},
  };
  return all;
}

const std::string& of(const std::map<std::string, std::string>& all, const std::string& kind,
                      const std::string& id) {
  static const std::string nothing;
  const auto own = all.find(kind + "/" + id);
  if (own != all.end()) return own->second;
  const auto common = all.find(kind);
  return common == all.end() ? nothing : common->second;
}

/// A model's required keys, as tests/compositions gives them.
std::string required(const Entry& entry) {
  std::string text;
  const auto blueprint = entry.blueprint();
  for (const Field& field : blueprint->fields().all()) {
    const auto values = compositions::values_of(entry.kind, entry.description.id, field);
    const bool is_needed = entry.kind == Kind::model || field.is_required();
    if (!values.empty() && is_needed && !values.front().toml.empty())
      text += field.key() + " = " + values.front().toml + "\n";
  }
  return text;
}

std::string with_name(std::string text, const std::string& table) {
  for (std::size_t at = text.find("SUBJECT"); at != text.npos; at = text.find("SUBJECT"))
    text.replace(at, 7, table);
  return text;
}

}  // namespace

const std::string head = R"(mixwell = 1
[run]
seed = 3
replicates = 4
warmup = 60
draws = 24
predictive = "all"
allow = ["biased", "none"]
)";

std::string file(const std::string& name) {
  static const mixwell::testing::TemporaryFolder folder;
  static const bool is_written = [] {
    compositions::write_fixtures(folder.path());
    folder.file("data/others.csv", "x,y\n0.3,1\n-0.7,0\n0.1,0\n1.2,1\n0.4,1\n");
    folder.file("data/missing.csv", "x,y\n3,1\n,0\n1,0\n12,1\n4,1\n");
    return true;
  }();
  return is_written ? folder.path() + "/" + name : "";
}

Base base_of(const Entry& entry) {
  const std::string kind(to_string(entry.kind));
  const std::string& id = entry.description.id;
  Base base;
  base.table = kind + ".subject";
  base.files = entry.kind == Kind::recorder;
  const std::string given = required(entry) + of(own(), kind, id);
  base.manifest = head + of(besides(), kind, id) + "[" + base.table + "]\nuse = \"" + id + "\"\n" +
                  with_name(given, base.table);
  for (std::size_t at = 0; (at = base.manifest.find("\"data/", at)) != std::string::npos;)
    base.manifest.replace(at, 6, "\"" + file("data/"));
  return base;
}

}  // namespace idle_keys
