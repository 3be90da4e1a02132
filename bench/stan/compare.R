# Mixwell's samplers against Stan's NUTS, in turn on one core: what ./dev bench stan runs.
# SPDX-License-Identifier: Apache-2.0
#
# Rscript compare.R MIXWELL FOLDER [ROUNDS]: the program, a folder for what is compiled and written,
# and how often everything is measured. Data sets come from MIXWELL_DATA. Exit codes: 0 measured;
# 1 the two programs sampled different posteriors; 2 something is missing.
#
# Both sides: one thread; the draws after warm-up, whose time does not count; min ESS is the
# smallest ess_bulk of the coefficients, by posterior for Stan and from summary.json for Mixwell
# (its tests compare the two to 1e-10). Stan's time is the processor time of its sampling phase,
# Mixwell's the wall time.

arguments <- commandArgs(trailingOnly = TRUE)
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
mixwell <- normalizePath(arguments[1])
folder <- arguments[2]
rounds <- if (length(arguments) > 2) as.integer(arguments[3]) else 9L
sets <- c("german", "heart", "pima")
goal <- 10 # times Stan's min ESS/s with a dense metric

die <- function(...) {
  message("bench stan: ", ...)
  quit(status = 2)
}

if (!isTRUE(rounds > 0)) die("ROUNDS is a whole number above 0, not ", arguments[3])

needs <- function(value, ...) {
  tryCatch(value, error = function(e) die(..., ": ", conditionMessage(e)))
}

# --- Stan ---------------------------------------------------------------------

# Debian's BH holds no headers. A library of our own has the package with a link to the system's.
add_boost <- function(packages) {
  theirs <- system.file(package = "BH", mustWork = TRUE)
  ours <- file.path(packages, "BH")
  unlink(ours, recursive = TRUE)
  dir.create(file.path(ours, "include"), recursive = TRUE)
  parts <- setdiff(dir(theirs), "include")
  stopifnot(file.symlink(file.path(theirs, parts), file.path(ours, parts)),
            file.symlink("/usr/include/boost", file.path(ours, "include", "boost")))
  .libPaths(c(packages, .libPaths()))
}

# Mixwell's instruction set for Stan too. Eigen's alignment stays that of Debian's
# libStanServices.a, which frees what the model allocates.
write_flags <- function(file) {
  writeLines("CXX14FLAGS = -O3 -march=x86-64-v3 -DEIGEN_MAX_ALIGN_BYTES=16 -w", file)
  Sys.setenv(R_MAKEVARS_USER = file)
}

# Compiled once, and again if the model, the flags or rstan change.
stan_program <- function() {
  source <- file.path(here, "logistic.stan")
  flags <- file.path(folder, "Makevars")
  write_flags(flags)
  key <- paste(c(format(packageVersion("rstan")), tools::md5sum(c(source, flags))), collapse = "-")
  compiled <- file.path(folder, paste0("logistic-", key, ".rds"))
  if (!file.exists(compiled)) {
    message("compiling the Stan model, which takes a minute or two")
    saveRDS(stan_model(source, model_name = "logistic", auto_write = FALSE), compiled)
  }
  readRDS(compiled)
}

find_data <- function(name) {
  tried <- file.path(strsplit(Sys.getenv("MIXWELL_DATA"), ":")[[1]], name)
  found <- tried[file.exists(tried)]
  if (length(found) == 0) die("no ", name, " in the folders of MIXWELL_DATA")
  found[1]
}

# Value of a key that the manifest has once, as text.
manifest_value <- function(lines, key) {
  line <- grep(paste0("^", key, " = "), lines, value = TRUE)
  stopifnot(length(line) == 1)
  gsub('"', "", sub("^[^=]*= ", "", line))
}

# What the manifest says, as Stan wants it.
stan_data <- function(set) {
  lines <- readLines(file.path(here, paste0(set, ".toml")))
  value <- function(key) manifest_value(lines, key)
  cases <- read.csv(find_data(value("data")))
  x <- scale(as.matrix(cases[names(cases) != value("response")]))
  list(N = nrow(x), K = ncol(x), x = x, prior_sd = sqrt(as.numeric(value("prior_variance"))),
       y = as.integer(cases[[value("response")]] == value("positive")),
       warmup = as.integer(value("warmup")), draws = as.integer(value("draws")))
}

# One row per parameter of an array draws x chains x parameters.
moments <- function(draws, names) {
  figures <- list(mean = mean, sd = sd, mcse_mean = mcse_mean, mcse_sd = mcse_sd,
                  ess_bulk = ess_bulk, ess_tail = ess_tail)
  columns <- lapply(figures, function(figure) apply(draws, 3, function(x) figure(as.matrix(x))))
  data.frame(variable = names, columns)
}

run_stan <- function(set, metric, round) {
  data <- problems[[set]]
  fit <- sampling(program, data, chains = 1, cores = 1, seed = round, refresh = 0,
                  iter = data$warmup + data$draws, warmup = data$warmup, save_warmup = FALSE,
                  control = list(metric = metric))
  leapfrogs <- get_sampler_params(fit, inc_warmup = FALSE)[[1]][, "n_leapfrog__"]
  list(seconds = get_elapsed_time(fit)[1, "sample"], gradients = sum(leapfrogs),
       variables = moments(as.array(fit, pars = c("intercept", "beta")),
                           c("intercept", colnames(data$x))))
}

# --- Mixwell ------------------------------------------------------------------

read_variables <- function(summary) {
  figures <- c("mean", "sd", "mcse_mean", "mcse_sd", "ess_bulk", "ess_tail")
  rows <- lapply(summary$variables, function(row) as.data.frame(row[figures]))
  cbind(variable = names(rows), do.call(rbind, rows))
}

run_mixwell <- function(set, kernel, replicates, round) {
  out <- file.path(folder, "run")
  log <- file.path(folder, "mixwell.log")
  settings <- c(sprintf('compositor.main.kernel="%s"', kernel),
                paste0("run.replicates=", replicates), paste0("run.seed=", round))
  status <- system2(mixwell, c("run", shQuote(file.path(here, paste0(set, ".toml"))),
                               "--threads", 1, paste("--set", shQuote(settings)),
                               "--out", shQuote(out), "--force"), stdout = log, stderr = log)
  if (status != 0) die("mixwell run: exit code ", status, "\n", paste(readLines(log), "\n"))
  run <- read_json(file.path(out, "run.json"))
  list(seconds = run$seconds$sampling, gradients = run$gradients$sampling,
       variables = read_variables(read_json(file.path(out, "summary.json"))))
}

# --- Both ---------------------------------------------------------------------

samplers <- list(
  "Stan NUTS, dense" = function(set, round) run_stan(set, "dense_e", round),
  "nuts, 1 replicate" = function(set, round) run_mixwell(set, "nuts", 1, round),
  "nuts, 16 replicates" = function(set, round) run_mixwell(set, "nuts", 16, round),
  "hamiltonian, 1 replicate" = function(set, round) run_mixwell(set, "hmc", 1, round),
  "hamiltonian, 16 replicates" = function(set, round) run_mixwell(set, "hmc", 16, round),
  "Stan NUTS, diagonal" = function(set, round) run_stan(set, "diag_e", round)
)

# Largest |z| between the means, and between the standard deviations, of two fits.
disagreement <- function(a, b) {
  b <- b[match(a$variable, b$variable), ]
  stopifnot(a$variable == b$variable)
  max(abs(a$mean - b$mean) / sqrt(a$mcse_mean^2 + b$mcse_mean^2),
      abs(a$sd - b$sd) / sqrt(a$mcse_sd^2 + b$mcse_sd^2))
}

measure <- function(set, round) {
  fits <- lapply(samplers, function(run) run(set, round))
  rows <- lapply(names(fits), function(name) {
    fit <- fits[[name]]
    data.frame(set, round, sampler = name, gradients = fit$gradients / fit$seconds,
               work = min(fit$variables$ess_bulk) / fit$gradients,
               bulk = min(fit$variables$ess_bulk) / fit$seconds,
               tail = min(fit$variables$ess_tail) / fit$seconds,
               z = disagreement(fits[[1]]$variables, fit$variables))
  })
  rows <- do.call(rbind, rows)
  transform(rows, bulk_ratio = bulk / bulk[1], tail_ratio = tail / tail[1])
}

verdict <- function(sampler, ratio) {
  if (startsWith(sampler, "Stan")) "" else if (ratio >= goal) "met" else "not met"
}

table_row <- function(rows) {
  q <- quantile(rows$bulk_ratio, c(0.25, 0.5, 0.75))
  sprintf("| %s | %s | %.0f | %.3f | %.0f | %.2f | %.2f to %.2f | %s | %.2f |\n",
          rows$set[1], rows$sampler[1], median(rows$gradients), median(rows$work),
          median(rows$bulk), q[2], q[1], q[3], verdict(rows$sampler[1], q[2]),
          median(rows$tail_ratio))
}

print_table <- function(results) {
  columns <- c("set", "sampler", "gradients/s", "min ESS per gradient", "min ESS/s",
               "ratio to Stan dense", "quartiles", paste("goal", goal), "ratio of min tail ESS/s")
  cat("|", paste(columns, collapse = " | "), "|\n")
  cat(strrep("|---", length(columns)), "|\n", sep = "")
  for (set in sets) {
    for (sampler in names(samplers)) {
      cat(table_row(results[results$set == set & results$sampler == sampler, ]))
    }
  }
  cat(sprintf("\nmedians of %d rounds\n", rounds))
}

# 5.5: nine rounds compare about 4000 figures, with less than one false alarm in 1000 runs.
check_agreement <- function(results) {
  worst <- results[which.max(results$z), ]
  cat(sprintf("means and standard deviations against Stan dense: largest |z| %.1f\n", worst$z))
  if (worst$z <= 5.5) return(invisible())
  message("bench stan: ", worst$sampler, " on ", worst$set, ", round ", worst$round,
          ": not the posterior of Stan dense (|z| above 5.5)")
  quit(status = 1)
}

dir.create(folder, recursive = TRUE, showWarnings = FALSE)
folder <- normalizePath(folder)
needs(add_boost(file.path(folder, "packages")), "the package BH")
needs(suppressPackageStartupMessages({
  library(rstan)
  library(posterior)
  library(jsonlite)
}), "an R package cannot be loaded")
problems <- sapply(sets, stan_data, simplify = FALSE)
program <- needs(stan_program(), "the Stan model cannot be compiled")
cat("Stan ", stan_version(), ", rstan ", format(packageVersion("rstan")), "\n", sep = "")
results <- do.call(rbind, lapply(seq_len(rounds), function(round) {
  message("round ", round)
  do.call(rbind, lapply(sets, measure, round = round))
}))
write.csv(results, file.path(folder, "rounds.csv"), row.names = FALSE)
print_table(results)
check_agreement(results)
