// Partially collapsed updates against exact draws and against quadrature.
// SPDX-License-Identifier: Apache-2.0
#include "testing.hpp"

#include <string>

using mixwell::contracts::check_invariance;
using sampling::expect_caught;
using sampling::expect_right;
using sampling::usual_test;

namespace {

std::string update(const std::string& parameter, const std::string& kernel,
                   const std::string& more = "") {
  return "[[compositor.c.update]]\nparameters = [\"" + parameter + "\"]\nkernel = \"" + kernel +
         "\"\n" + more;
}

std::string plane(const std::string& updates, const std::string& mistake = "none",
                  const std::string& of_model = "none") {
  return "[run]\nallow = [\"biased\"]\n[model.m]\nuse = \"collapsed-plane\"\nmistake = \"" +
         of_model +
         "\"\n[kernel.walk]\nuse = \"random-walk-metropolis\"\nstep_size = 1.5\n"
         "[kernel.draw]\nuse = \"conditional\"\n[kernel.lie]\nuse = \"wrong-collapsed\"\n"
         "mistake = \"" +
         mistake + "\"\n[compositor.c]\nuse = \"blocks\"\n" + updates;
}

auto check(const std::string& manifest) {
  return check_invariance(composing::compose(manifest), usual_test);
}

const std::string a_alone = update("a", "walk", "without = [\"b\"]\n");
const std::string b_given_a = update("b", "draw");

}  // namespace

TEST_CASE("a coordinate that is moved without the other, which is drawn anew, keeps the plane") {
  expect_right(check(plane(a_alone + b_given_a)));
}

TEST_CASE("collapsed updates in a wrong order are caught, and so is a wrong marginal law") {
  expect_caught(check(plane(b_given_a + a_alone)));
  expect_caught(check(plane(a_alone + b_given_a, "none", "marginal-variance")));
}

TEST_CASE("an update that leaves a coordinate out and does not say so is caught") {
  const std::string updates = b_given_a + update("a", "lie");
  expect_right(check(plane(updates)));
  expect_caught(check(plane(updates, "without-b")));
}
