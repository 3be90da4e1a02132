# R reads exported CSV files: utils and posterior find the numbers of summary.json, rstan its own way in.
# SPDX-License-Identifier: Apache-2.0
has <- function(package) requireNamespace(package, quietly = TRUE)
if (!has("posterior") || !has("jsonlite")) {
  cat("skipped: needs the R packages posterior and jsonlite\n")
  quit(status = 77)
}

program <- Sys.getenv("MIXWELL_PROGRAM")
folder <- tempfile("mixwell-csv-")
dir.create(folder)
manifest <- file.path(folder, "csv.toml")

check <- function(holds, ...) {
  if (isTRUE(holds)) return(invisible())
  cat("FAILED:", ..., "\n")
  quit(status = 1)
}

# Runs the manifest below; returns the folder of its results.
run <- function(name, warmup) {
  writeLines(c(
    "mixwell = 1", "[run]", "seed = 4", "replicates = 3", "warmup = 90", "draws = 400",
    "thin = 2", paste("record_warmup =", warmup), "[model.target]", "use = \"gaussian\"",
    "dimension = 3", "mean = [1, -2, 3]", "[estimator.identity]", "use = \"identity\"", "[kernel.hmc]", "use = \"hamiltonian\"",
    "target_acceptance = 0.8", "steps_jitter = [1, 5]"
  ), manifest)
  out <- file.path(folder, name)
  status <- system2(program, c("run", manifest, "--out", out), stdout = FALSE)
  check(status == 0, "mixwell run ends with", status)
  status <- system2(program, c("export", out, "--format", "cmdstan-csv", "--sig-figs", "17", "--quiet"))
  check(status == 0, "mixwell export ends with", status)
  out
}

files_of <- function(out) {
  files <- list.files(out, pattern = "^draws_[0-9]+[.]csv$", full.names = TRUE)
  check(length(files) == 3, "files:", files)
  files
}

# draws x chains x variables, rows of warm-up left out.
read_base <- function(files, skip = 0) {
  chains <- lapply(files, function(file) {
    rows <- utils::read.csv(file, comment.char = "#", check.names = FALSE)
    rows[seq_len(nrow(rows)) > skip, ]
  })
  variables <- names(chains[[1]])
  draws <- array(unlist(lapply(chains, as.matrix)), c(nrow(chains[[1]]), length(variables), 3))
  draws <- aperm(draws, c(1, 3, 2))
  dimnames(draws) <- list(NULL, NULL, variables)
  posterior::as_draws_array(draws)
}

near <- function(a, b) abs(a - b) <= 1e-10 * max(1, abs(b))

check_summary <- function(draws, out) {
  wanted <- jsonlite::fromJSON(file.path(out, "summary.json"))
  found <- posterior::summarise_draws(
    posterior::subset_draws(draws, variable = "x", regex = TRUE), "mean", "sd", "mcse_mean",
    "rhat", "ess_bulk", "ess_tail"
  )
  check(nrow(found) == 3, "variables:", found$variable)
  for (k in 1:3) {
    expected <- wanted$variables[[sprintf("x[%d]", k - 1)]]
    for (name in c("mean", "sd", "mcse_mean", "rhat", "ess_bulk", "ess_tail")) {
      check(near(found[[name]][k], expected[[name]]), name, "of element", k, "is",
            found[[name]][k], "in R and", expected[[name]], "in summary.json")
    }
  }
  accepted <- mean(posterior::extract_variable(draws, "accept_stat__"))
  check(near(accepted, wanted$sampler$acceptance), "acceptance", accepted)
}

check_rstan <- function(files, draws, warmup) {
  fit <- rstan::read_stan_csv(files)
  check(all(fit@sim$warmup2 == warmup), "rows of warm-up in rstan:", fit@sim$warmup2)
  kept <- as.array(fit)
  base <- unclass(posterior::subset_draws(draws, variable = c("x.1", "x.2", "x.3")))
  check(all(dim(kept)[1:2] == c(400, 3)), "draws and chains in rstan:", dim(kept))
  for (k in 1:3) {
    check(identical(as.vector(kept[, , sprintf("x[%d]", k)]), as.vector(base[, , k])),
          "draws of element", k, "in rstan")
  }
  parameters <- rstan::get_sampler_params(fit, inc_warmup = FALSE)[[2]]
  check(all(c("accept_stat__", "stepsize__", "n_leapfrog__", "divergent__", "energy__") %in%
              colnames(parameters)), "statistics in rstan:", colnames(parameters))
  step <- as.numeric(sub(".*Step size = ([^\n]+).*", "\\1", rstan::get_adaptation_info(fit)[[2]]))
  check(step == parameters[1, "stepsize__"], "step size after warm-up:", step)
  times <- rstan::get_elapsed_time(fit)
  check(all(is.finite(times)) && all(times >= 0), "times in rstan:", times)
}

for (warmup in c(FALSE, TRUE)) {
  out <- run(paste0("out-", warmup), tolower(warmup))
  files <- files_of(out)
  rows <- if (warmup) 45 else 0
  draws <- read_base(files, rows)
  check(posterior::niterations(draws) == 400, "draws:", posterior::niterations(draws))
  check_summary(draws, out)
  if (has("rstan")) suppressPackageStartupMessages(check_rstan(files, draws, rows))
}
unlink(folder, recursive = TRUE)
cat("read with utils and posterior", if (has("rstan")) "and rstan", "\n")
