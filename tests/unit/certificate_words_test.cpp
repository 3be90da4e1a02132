// The words of certificates: they fit the verdict, and name the references of what is composed.
// SPDX-License-Identifier: Apache-2.0
#include "composing.hpp"
#include "run/evidence.hpp"

#include <mixwell/lab/certificate.hpp>
#include <mixwell/lab/sampler.hpp>

#include <catch2/catch.hpp>
#include <toml++/toml.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace mixwell;
namespace fs = std::filesystem;

namespace {

struct Checked {
  std::string name;
  Composition composition;
  Certificate certificate;
  std::vector<Publication> published;
};

Checked checked(const std::string& name, Composition composition) {
  const Certificate certificate = compose(*composition.compositor).certificate;
  auto published = mixwell::published(composition, certificate);
  return {name, std::move(composition), certificate, std::move(published)};
}

/// Composed again each time, so only the registry of plugins is shared.
std::vector<Checked> checked_in(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(fs::path(MIXWELL_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Checked> all;
  for (const fs::path& path : paths)
    all.push_back(checked(path.stem(), load_manifest(path.string(), composing::registry())));
  return all;
}

std::vector<Checked> examples() { return checked_in("examples/certificates"); }

/// Every example, every counterexample, an author who declares nothing, and an optimiser.
std::vector<Checked> all_classes() {
  std::vector<Checked> all = examples();
  for (const char* folder : {"tests/counterexamples", "examples/undeclared"})
    for (Checked& one : checked_in(folder)) all.push_back(std::move(one));
  all.push_back(checked("optimiser", composing::compose("[model.m]\nuse = \"quartic\"\ndimension = "
                                                        "2\n[kernel.k]\nuse = \"map\"\n")));
  return all;
}

bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

/// Words that promise something of the target, at some step size or in the limit.
bool promises(const std::string& text) {
  return says(text, "converge in law to the update's target distribution") ||
         says(text, "have the target distribution as eps -> 0") ||
         says(text, "leaves pi invariant") || says(text, "the draws have the distribution pi") ||
         says(text, "invariance by itself");
}

/// "Geyer 1991, CSS 23 (the idea)" -> "Geyer 1991".
std::string work(const std::string& citation) {
  for (std::size_t k = 0; k + 4 <= citation.size(); ++k) {
    const auto digits = citation.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::all_of(digits, digits + 4, [](unsigned char c) { return std::isdigit(c) != 0; }))
      return citation.substr(0, k + 4);
  }
  return citation;
}

std::set<std::string> works(const std::vector<std::string>& citations) {
  std::set<std::string> all;
  for (const std::string& one : citations) all.insert(work(one));
  return all;
}

/// "A 2015, NIPS; B 2016, JMLR" -> its two.
std::vector<std::string> apart(const std::string& citation) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < citation.size();) {
    const std::size_t end = std::min(citation.find("; ", from), citation.size());
    all.push_back(citation.substr(from, end - from));
    from = end + 2;
  }
  return all;
}

/// The sources that the components of a manifest name: the first of each component, or all.
std::set<std::string> works_of(const Composition& composition, bool all_sources) {
  const toml::table root = toml::parse(composition.effective_manifest);
  std::set<std::string> found;
  for (const Kind kind : all_kinds) {
    const toml::table* const tables = root[to_string(kind)].as_table();
    if (tables == nullptr || kind == Kind::model || kind == Kind::recorder) continue;
    for (const auto& [name, node] : *tables) {
      const auto id = (*node.as_table())["use"].value<std::string>();
      auto sources = composing::registry().find(kind, *id).description.sources;
      if (!all_sources && sources.size() > 1) sources.resize(1);
      found.merge(works(sources));
    }
  }
  return found;
}

/// Theorems that rules cite; all else belongs to components.
const std::set<std::string> of_rules = {"Hastings 1970",
                                        "Andrieu & Roberts 2009",
                                        "Christen & Fox 2005",
                                        "van Dyk & Park 2008",
                                        "Roberts & Rosenthal 2007",
                                        "Roberts & Tweedie 1996",
                                        "Hutzenthaler, Jentzen & Kloeden 2011",
                                        "Mattingly, Stuart & Tretyakov 2010",
                                        "Vollmer, Zygalakis & Teh 2016",
                                        "Ma, Chen & Fox 2015"};

}  // namespace

TEST_CASE("no certificate contradicts its own verdict") {
  std::set<std::string> seen;
  for (const Checked& one : all_classes()) {
    const Verdict& now = one.certificate.now;
    const std::string text = one.certificate.to_text();
    INFO(one.name << "\n" << text);
    const bool is_biased = now.label() == "biased";
    seen.insert(now.label() + (is_biased && !now.proved ? ", unproven" : ""));
    CHECK(says(text, "the draws do not have the target distribution, even as eps -> 0") ==
          (is_biased && now.proved));
    CHECK(says(text, "nothing shows that the draws have the target distribution") ==
          (is_biased && !now.proved));
    if (now.accuracy != Accuracy::none) continue;
    CHECK(now.notes.empty());
    CHECK_FALSE(promises(text));
  }
  CHECK(seen == std::set<std::string>{"adaptive", "approximate", "asymptotic", "biased",
                                      "biased, unproven", "exact", "none"});
}

TEST_CASE("a note of one part is dropped where another part is wrong, and kept where it is right") {
  const std::string langevin =
      "[model.m]\nuse = \"quartic\"\ndimension = 2\n[oracle.exact]\nuse = "
      "\"exact\"\n[kernel.k]\nuse = "
      "\"langevin\"\nstep_size = 0.01\noracle = \"exact\"\n";
  const Verdict alone = composing::verdict(langevin);
  CHECK(alone.label() == "asymptotic");
  REQUIRE(alone.notes.size() == 1);
  CHECK(promises(alone.notes.front()));
  const Verdict beside = composing::verdict(
      langevin +
      "[oracle.hot]\nuse = \"tempered\"\nbeta = 0.5\n[kernel.hot]\nuse = "
      "\"random-walk-metropolis\"\noracle = \"hot\"\nstep_size = 1\n[compositor.c]\nuse "
      "= \"cycle\"\nkernels = [\"k\", \"hot\"]\n");
  CHECK(beside.label() == "biased");
  CHECK(beside.notes.empty());
}

TEST_CASE("references are of the rules that were used and of the methods that are composed") {
  int exact = 0;
  for (const Checked& one : examples()) {
    const Verdict& now = one.certificate.now;
    if (now.accuracy == Accuracy::none) continue;
    INFO(one.name << "\n" << one.certificate.to_text());
    exact += now.accuracy == Accuracy::exact ? 1 : 0;
    const std::set<std::string> theorems = works(apart(now.citation));
    std::set<std::string> methods;
    for (const Publication& p : one.published) methods.insert(work(p.source));
    CHECK(std::includes(of_rules.begin(), of_rules.end(), theorems.begin(), theorems.end()));
    CHECK(methods.size() == one.published.size());
    std::set<std::string> wanted = works_of(one.composition, false);
    for (const std::string& theorem : theorems) wanted.erase(theorem);
    CHECK(methods == wanted);
  }
  CHECK(exact >= 30);
}

TEST_CASE("a theorem is cited where its rule is used, and nowhere else") {
  std::set<std::string> cited;
  for (const Checked& one : examples()) {
    for (const std::string& theorem : works(apart(one.certificate.now.citation)))
      if (theorem.find("counter-example") == std::string::npos) cited.insert(theorem);
    const std::string& citation = one.certificate.now.citation;
    if (one.name == "hmc" || one.name == "nuts" || one.name == "random-walk")
      CHECK(citation.empty());
    if (one.name == "delayed-acceptance") CHECK(says(citation, "Christen & Fox 2005"));
    if (one.name == "pseudo-marginal") CHECK(says(citation, "Andrieu & Roberts 2009"));
    if (one.name == "metropolis-gaussian") CHECK(says(citation, "Hastings 1970"));
  }
  CHECK(cited.size() >= 6);
}

TEST_CASE("a counter-example is cited by compositions of the method that it is of") {
  std::set<std::string> of_own_past;
  std::set<std::string> of_last_moves;
  for (const Checked& one : examples()) {
    const std::string& citation = one.certificate.now.citation;
    if (says(citation, "QNHMC as published freezes")) of_own_past.insert(one.name);
    if (says(citation, "the latest moves of another slot")) of_last_moves.insert(one.name);
  }
  CHECK(of_own_past == std::set<std::string>{"qnhmc-published"});
  CHECK(of_last_moves == std::set<std::string>{"hamcmc-published"});
}

TEST_CASE("a wrong sampler is not said to be where its methods were published") {
  for (const Checked& one : all_classes()) {
    INFO(one.name);
    if (one.certificate.now.accuracy == Accuracy::none) CHECK(one.published.empty());
    if (one.name != "hamcmc-published") continue;
    CHECK(one.certificate.now.citation.starts_with("counter-example"));
    CHECK(apart(one.certificate.now.citation).size() == 1);
  }
}

TEST_CASE("the line at the end of a run says in plain words why a sampler is exact") {
  const auto line = [](const std::string& kernel) {
    return compose(*composing::compose("[model.m]\nuse = \"quartic\"\ndimension = 2\n" + kernel)
                        .compositor)
        .certificate.in_words();
  };
  CHECK(line("[kernel.nuts]\nuse = \"nuts\"\n") ==
        "exact after warmup: each update leaves the target distribution unchanged; the author of "
        "nuts declares this, and `mixwell verify` tests this claim; the preconditioner and the "
        "step size "
        "are adapted in warmup only and are fixed afterwards");
  CHECK(line("[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 1\n") ==
        "exact: each update leaves the target distribution unchanged (Metropolis-corrected)");
  CHECK(line("[oracle.t]\nuse = \"tempered\"\nbeta = 0.5\n[kernel.walk]\nuse = "
             "\"random-walk-metropolis\"\nstep_size = 1\noracle = \"t\"\n")
            .starts_with("approximate: each update leaves the density "));
}

TEST_CASE("points that a preconditioner is fitted to are called by what is made from them") {
  for (const char* const memory : {"own-history", "published"}) {
    const auto certificate =
        compose(*composing::compose(
                     "[model.m]\nuse = \"quartic\"\ndimension = 2\n[estimator.e]\nuse = "
                     "\"lbfgs\"\n[kernel.k]\nuse = \"hamiltonian\"\nsteps = 3\nstep_size = "
                     "0.1\n[compositor.c]\nuse = \"ensemble-chain\"\nslots = 1\nhistory = "
                     "4\nfreeze_after_warmup = true\nmemory = \"" +
                     std::string(memory) + "\"\n")
                     .compositor)
            .certificate;
    INFO(memory);
    CHECK(certificate.learnt == std::vector<std::string>{"preconditioner"});
  }
}

TEST_CASE("the manifest that a composition turned out to have can be read again") {
  for (const Checked& one : all_classes()) {
    INFO(one.name);
    const std::string& text = one.composition.effective_manifest;
    CHECK(parse_manifest(text, one.name + ".toml", composing::registry()).effective_manifest ==
          text);
  }
}
