// A library with BridgeStan's C interface, by hand: a known density, and on demand what is wrong.
// SPDX-License-Identifier: Apache-2.0
//
// parameters { real mu; real<lower=0> sigma; simplex[2] p; }    mu ~ normal(m, 1), sigma ~
// exponential(1) transformed parameters { matrix[2, 3] M; }                    M[i, j] = (10 i + j)
// mu generated quantities { real y; array[2] tuple(real, real) t; }
//
// Unconstrained: mu, log sigma, logit p[1]. `m` is read from the data. Points with mu > 8 are
// rejected, those with mu < -8 have the log density NaN, and below -6 generated quantities fail.
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#define API extern "C" __attribute__((visibility("default")))

// What the library is made to be; tests/CMakeLists.txt lists the variants.
#ifndef STUB_MAJOR
#define STUB_MAJOR 2
#endif
#ifndef STUB_THREADS
#define STUB_THREADS "true"
#endif
#ifndef STUB_NAMES
#define STUB_NAMES "mu,sigma,p.1,p.2"
#endif
#ifndef STUB_GENERATED
#define STUB_GENERATED ",y,t.1:1,t.1:2,t.2:1,t.2:2"
#endif
#ifndef STUB_COUNT
#define STUB_COUNT 4
#endif
#ifndef STUB_DIMENSION
#define STUB_DIMENSION 3
#endif
#ifndef STUB_SLOPE
#define STUB_SLOPE 1
#endif
#ifndef STUB_HIGHEST
#define STUB_HIGHEST 8
#endif

namespace {

constexpr const char* parameter_names = STUB_NAMES;
#ifdef STUB_EMPTY
constexpr bool has_more = false;
constexpr const char* transformed_names = "";
constexpr const char* generated_names = "";
#else
constexpr bool has_more = true;
constexpr const char* transformed_names = ",M.1.1,M.2.1,M.1.2,M.2.2,M.1.3,M.2.3";
constexpr const char* generated_names = STUB_GENERATED;
#endif

struct Model {
  double m = 0;
  bool is_split = false;  ///< the density is that of |mu|: two modes
  /// mu - m, or |mu| - m with the sign of mu.
  double error(double mu) const { return is_split && mu < 0 ? mu + m : mu - m; }
  std::string names[4];
};
struct Generator {
  unsigned long long state = 0;
};

std::atomic<int> messages{0}, models{0}, generators{0}, now{0}, most{0};

int fail(char** error, const char* text) {
  if (error != nullptr) {
    *error = ::strdup(text);
    ++messages;
  }
  return -1;
}

/// Counts calls that are on their way at once.
struct Call {
  Call() {
    const int n = ++now;
    int seen = most;
    while (seen < n && !most.compare_exchange_weak(seen, n)) continue;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
  ~Call() { --now; }
};

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

double uniform(Generator& g) {
  g.state = g.state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<double>(g.state >> 11) * 0x1p-53;
}

}  // namespace

#ifndef STUB_WITHOUT_VERSION
API const int bs_major_version = STUB_MAJOR;
API const int bs_minor_version = 7;
API const int bs_patch_version = 0;
#endif

API int stub_most_at_once() { return most; }
API int stub_alive() { return messages + models + generators; }

API void* bs_model_construct(const char* data, unsigned seed, char** error) {
  const Call call;
#ifdef STUB_STANLI
  if (std::strstr(data, ", NaN") != nullptr || std::strstr(data, "[-Inf") != nullptr) {
    fail(error, "NaN and Infinity are no JSON");
    return nullptr;
  }
  if (std::strstr(data, "\"__stanli\":") == nullptr ||
      std::strstr(data, "real \\\"mu") == nullptr) {
    fail(error, "the data carry no program");
    return nullptr;
  }
#endif
  const char* const m = std::strstr(data, "\"m\":");
  if (m == nullptr) {
    fail(error,
         "  variable does not exist; variable name=m; base type=real (in 'stub.stan', line 2)\n");
    return nullptr;
  }
  auto* const made = new Model{
      std::atof(m + 4) + (seed == 7 ? 100 : 0), std::strstr(data, "\"split\"") != nullptr, {}};
  for (int k = 0; k < 4; ++k) {
    std::string& names = made->names[k];
    const bool has_q = std::strstr(data, "simplex[2] q") != nullptr;
    names = std::string(has_q ? "mu,sigma,q.1,q.2" : parameter_names) +
            ((k & 1) != 0 ? transformed_names : "") + ((k & 2) != 0 ? generated_names : "");
    if (names[0] == ',') names.erase(0, 1);
  }
  ++models;
  return made;
}
API void bs_model_destruct(void* model) {
  delete static_cast<Model*>(model);
  --models;
}
API void bs_free_error_msg(char* error) {
  std::free(error);
  --messages;
}
API const char* bs_model_info(const void*) { return "Stub\n\tSTAN_THREADS=" STUB_THREADS "\n"; }
API const char* bs_param_names(const void* model, bool transformed, bool generated) {
  return static_cast<const Model*>(model)->names[transformed + 2 * generated].c_str();
}
API const char* bs_param_unc_names(const void*) {
  return STUB_DIMENSION == 0 ? "" : "mu,sigma,p.1";
}
API int bs_param_num(const void*, bool transformed, bool generated) {
  return STUB_COUNT + (has_more ? 6 * transformed + 5 * generated : 0);
}
API int bs_param_unc_num(const void*) { return STUB_DIMENSION; }

API int bs_log_density(const void* model, bool propto, bool jacobian, const double* theta,
                       double* value, char** error) {
  const Call call;
  const double mu = theta[0];
  if (!propto || !jacobian) return fail(error, "called with other arguments than a sampler's");
  if (mu > STUB_HIGHEST) return fail(error, "Rejecting initial value: mu is too large");
  const double e = static_cast<const Model*>(model)->error(mu);
  const double q = logistic(theta[2]);
  *value = mu < -8 ? std::nan("")
                   : -0.5 * e * e - std::exp(theta[1]) + theta[1] + std::log(q) + std::log1p(-q);
  return 0;
}
#ifndef STUB_WITHOUT_GRADIENT
API int bs_log_density_gradient(const void* model, bool propto, bool jacobian, const double* theta,
                                double* value, double* gradient, char** error) {
  const int code = bs_log_density(model, propto, jacobian, theta, value, error);
  if (code != 0) return code;
  gradient[0] = -static_cast<const Model*>(model)->error(theta[0]);
  gradient[1] = 1 - std::exp(theta[1]);
  gradient[2] = 1 - 2 * logistic(theta[2]);
  return 0;
}
#endif

API int bs_param_constrain(const void*, bool transformed, bool generated, const double* theta,
                           double* out, void* rng, char** error) {
  const Call call;
  const double mu = STUB_DIMENSION == 0 ? 1 : theta[0];
#ifdef STUB_ENDLESS
  if (generated) std::fputs("stub: endless\n", stderr);
  while (generated) std::this_thread::sleep_for(std::chrono::milliseconds(10));
#endif
  if (generated && rng == nullptr) return fail(error, "generated quantities need a generator");
  if (generated && mu < -6) return fail(error, "normal_rng: Scale parameter is 0, but must be > 0");
  if (STUB_DIMENSION > 0) {
    *out++ = mu;
    *out++ = std::exp(theta[1]);
    *out++ = logistic(STUB_SLOPE * theta[2]);
    *out++ = logistic(-STUB_SLOPE * theta[2]);
  }
  for (int j = 1; transformed && j <= 3; ++j)
    for (int i = 1; i <= 2; ++i) *out++ = (10 * i + j) * mu;
  for (int k = 0; generated && k < 5; ++k) *out++ = k + uniform(*static_cast<Generator*>(rng));
  return 0;
}

API int bs_param_unconstrain(const void*, const double* values, double* theta, char** error) {
  if (!(values[1] > 0)) return fail(error, "sigma is below its lower bound 0");
  theta[0] = values[0];
  theta[1] = std::log(values[1]);
  theta[2] = std::log(values[2]) - std::log1p(-values[2]);
  return 0;
}

API void* bs_rng_construct(unsigned seed, char**) {
  ++generators;
  auto* const made = new Generator{seed * 0x9E3779B97F4A7C15ULL + 1};
  for (int k = 0; k < 4; ++k) uniform(*made);
  return made;
}
API void bs_rng_destruct(void* rng) {
  delete static_cast<Generator*>(rng);
  --generators;
}
API int bs_set_print_callback(void (*callback)(const char*, std::size_t), char**) {
  callback("stub: hello\n", 12);
  return 0;
}

#ifdef STUB_STANLI
// A compiler that takes every program but those with the word `wrong`; with `#include`, but for
// that of `<FILE>`, it asks for a folder that has the file.
API char* stanli_stan_to_mir_with_opts(const char* text, const char* const* folders,
                                       std::size_t count, int, char* error, std::size_t size) {
  if (std::strstr(text, "wrong") != nullptr) {
    std::snprintf(error, size,
                  "Syntax error in 'string', line 3, column 4 to column 5: wrong.\n\n");
    return nullptr;
  }
  if (std::strstr(text, "#include") != nullptr && std::strstr(text, "#include <") == nullptr) {
    std::snprintf(error, size,
                  "Syntax error in 'part.stan', line 1, column 0, included from\n'string', "
                  "line 1; %zu folders, first %s",
                  count, folders[0]);
    return nullptr;
  }
  ++messages;
  return ::strdup(text);
}
API void stanli_string_free(void* text) {
  std::free(text);
  --messages;
}
API const char* stanli_build_id() { return "stub-1"; }
#endif
