// C++ source of BridgeStan's C interface. Its functions call the class that stanc generates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mixwell::stan {

/// The functions that Mixwell calls. The code needs only Stan's headers. It is compiled with
/// STAN_THREADS, once for each version of the headers.
inline constexpr const char* shim_text = R"shim(
#include <stan/model/model_base.hpp>

#include <stan/io/json/json_data.hpp>
#include <stan/services/util/create_rng.hpp>
#include <stan/version.hpp>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#define MIXWELL_API extern "C" __attribute__((visibility("default")))

// The output of stanc defines this function.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* messages);

namespace {

using Vector = Eigen::VectorXd;
using Variables = Eigen::Matrix<stan::math::var, Eigen::Dynamic, 1>;
using ConstMap = Eigen::Map<const Vector>;
using Callback = void (*)(const char* text, std::size_t size);

std::mutex print_mutex;
Callback print_callback = nullptr;

/// Collects what a call prints, and passes it to the callback when the call ends.
class Printed {
 public:
  ~Printed() {
    const std::string text = stream_.str();
    if (text.empty()) return;
    const std::scoped_lock lock(print_mutex);
    if (print_callback != nullptr) print_callback(text.data(), text.size());
  }
  std::ostream* stream() { return &stream_; }

 private:
  std::ostringstream stream_;
};

char* copy_of(const std::string& text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy != nullptr) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// Runs f with an autodiff stack for this thread. Turns an exception into a message.
template <class F>
int guarded(char** error, const F& f) {
  try {
    static thread_local stan::math::ChainableStack record;
    Printed printed;
    f(printed.stream());
    return 0;
  } catch (const std::exception& fault) {
    if (error != nullptr) *error = copy_of(fault.what());
  } catch (...) {
    if (error != nullptr) *error = copy_of("an exception of an unknown type");
  }
  return -1;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

struct Made {
  std::unique_ptr<stan::model::model_base> model;
  int dimension = 0;
  std::string unconstrained;
  std::array<std::string, 4> names;
  std::array<int, 4> sizes{};
};

Made* made(void* model) { return static_cast<Made*>(model); }
const Made* made(const void* model) { return static_cast<const Made*>(model); }
std::size_t which(bool transformed, bool generated) {
  return (transformed ? 1U : 0U) + (generated ? 2U : 0U);
}

/// Computes the log density with the Jacobian and without constants: Stan leaves out a term if none
/// of its arguments has an autodiff type. `gradient` may be null.
int evaluate(const void* model, const double* theta, double* value, double* gradient,
             char** error) {
  return guarded(error, [&](std::ostream* messages) {
    const stan::math::nested_rev_autodiff nested;
    Variables at = ConstMap(theta, made(model)->dimension);
    stan::math::var lp = made(model)->model->log_prob_propto_jacobian(at, messages);
    *value = lp.val();
    if (gradient == nullptr) return;
    lp.grad();
    for (Eigen::Index i = 0; i < at.size(); ++i) gradient[i] = at[i].adj();
  });
}

}  // namespace

MIXWELL_API const int bs_major_version = 2;

MIXWELL_API void* bs_model_construct(const char* data, unsigned seed, char** error) {
  auto result = std::make_unique<Made>();
  const int code = guarded(error, [&](std::ostream* messages) {
    std::istringstream in(*data == '\0' ? "{}" : data);
    stan::json::json_data variables(in);
    result->model.reset(&new_model(variables, seed, messages));
    result->dimension = static_cast<int>(result->model->num_params_r());
    std::vector<std::string> names;
    result->model->unconstrained_param_names(names, false, false);
    result->unconstrained = joined(names);
    for (std::size_t k = 0; k < 4; ++k) {
      names.clear();
      result->model->constrained_param_names(names, (k & 1U) != 0, (k & 2U) != 0);
      result->names[k] = joined(names);
      result->sizes[k] = static_cast<int>(names.size());
    }
  });
  return code == 0 ? result.release() : nullptr;
}
MIXWELL_API void bs_model_destruct(void* model) { delete made(model); }
MIXWELL_API void bs_free_error_msg(char* error) { std::free(error); }

MIXWELL_API const char* bs_model_info(const void*) {
  return "Stan " STAN_STRING(STAN_MAJOR) "." STAN_STRING(STAN_MINOR) "." STAN_STRING(
      STAN_PATCH) "\nSTAN_THREADS=true\n";
}
MIXWELL_API const char* bs_param_names(const void* model, bool transformed, bool generated) {
  return made(model)->names[which(transformed, generated)].c_str();
}
MIXWELL_API const char* bs_param_unc_names(const void* model) {
  return made(model)->unconstrained.c_str();
}
MIXWELL_API int bs_param_num(const void* model, bool transformed, bool generated) {
  return made(model)->sizes[which(transformed, generated)];
}
MIXWELL_API int bs_param_unc_num(const void* model) { return made(model)->dimension; }

MIXWELL_API int bs_log_density(const void* model, bool, bool, const double* theta, double* value,
                               char** error) {
  return evaluate(model, theta, value, nullptr, error);
}
MIXWELL_API int bs_log_density_gradient(const void* model, bool, bool, const double* theta,
                                        double* value, double* gradient, char** error) {
  return evaluate(model, theta, value, gradient, error);
}

MIXWELL_API void* bs_rng_construct(unsigned seed, char** error) {
  void* generator = nullptr;
  guarded(error, [&](std::ostream*) {
    generator = new stan::rng_t(stan::services::util::create_rng(seed, 0));
  });
  return generator;
}
MIXWELL_API void bs_rng_destruct(void* rng) { delete static_cast<stan::rng_t*>(rng); }

MIXWELL_API int bs_param_constrain(const void* model, bool transformed, bool generated,
                                   const double* theta, double* out, void* rng, char** error) {
  return guarded(error, [&](std::ostream* messages) {
    stan::rng_t unused = stan::services::util::create_rng(0, 0);
    Vector at = ConstMap(theta, made(model)->dimension);
    Vector values;
    made(model)->model->write_array(rng == nullptr ? unused : *static_cast<stan::rng_t*>(rng), at,
                                    values, transformed, generated, messages);
    std::memcpy(out, values.data(), sizeof(double) * static_cast<std::size_t>(values.size()));
  });
}

MIXWELL_API int bs_param_unconstrain(const void* model, const double* values, double* theta,
                                     char** error) {
  return guarded(error, [&](std::ostream* messages) {
    const Vector listed = ConstMap(values, made(model)->sizes[0]);
    Vector at;
    made(model)->model->unconstrain_array(listed, at, messages);
    std::memcpy(theta, at.data(), sizeof(double) * static_cast<std::size_t>(at.size()));
  });
}

MIXWELL_API int bs_set_print_callback(Callback callback, char**) {
  const std::scoped_lock lock(print_mutex);
  print_callback = callback;
  return 0;
}
)shim";

}  // namespace mixwell::stan
