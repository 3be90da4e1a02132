# Every figure of Mixwell against R's package posterior 1.4, to 1e-10 relative, on awkward arrays.
# SPDX-License-Identifier: Apache-2.0
#
# usage: Rscript agreement_with_posterior.R PROGRAM, where PROGRAM prints arrays with their figures.
# Exit code 77 (skipped) without posterior 1.4. NaN must stand where posterior has NA or NaN.
#
# posterior has the last word but in four cases, each told from the array alone:
# 1. Fewer than 4 draws a chain. Its halves have one row, x[1:1, ] drops to a vector, and the chains
#    of the split matrix become its draws. Only figures that do not split are compared.
# 2. Every half chain is constant, and they differ: R-hat divides by a variance of 0, which rounding
#    may make 1e-31, and is NA where all are as far from the median. It must be infinite here.
# 3. Draws far from 0. posterior takes off a mean that is rounded on the scale of the offset, and
#    keeps about 16 digits less those of offset / sd. It is given the draws less the offset, a
#    difference that is exact (checked), for all figures that do not depend on it.
# 4. Draws in small units. posterior takes them for constant below a range of 2.2e-16. It is given the
#    draws divided by a power of two, and its figures are multiplied by it again where they have units.

tolerance <- 1e-10
if (!requireNamespace("posterior", quietly = TRUE)) {
  cat("skipped: R has no package posterior (apt: r-cran-posterior)\n")
  quit(status = 77)
}
version <- utils::packageVersion("posterior")
if (version[1, 1:2] != "1.4") {
  cat("skipped: posterior", as.character(version), "is not 1.4, which Mixwell agrees with\n")
  quit(status = 77)
}

whole <- c("mean", "sd", "q5", "q50", "q95") # and ebfmi1, ebfmi2, ...: these do not split
located <- c("mean", "q5", "q50", "q95")

read_arrays <- function(program, mutant = character()) {
  fields <- strsplit(system2(program, mutant, stdout = TRUE), "\t", fixed = TRUE)
  lapply(fields, function(f) {
    pairs <- strsplit(f[-(1:5)], "=", fixed = TRUE)
    list(
      name = paste0(f[1], ", ", f[2], " x ", f[3]),
      draws = matrix(as.numeric(strsplit(f[4], " ", fixed = TRUE)[[1]]), as.integer(f[2])),
      offset = as.numeric(f[5]),
      figures = setNames(
        as.numeric(vapply(pairs, `[`, "", 2)), vapply(pairs, `[`, "", 1)
      )
    )
  })
}

energy_fractions <- function(x) {
  apply(x, 2, function(e) sum(diff(e)^2) / sum((e - mean(e))^2))
}

reference <- function(x) {
  figures <- c(
    mean = mean(x), sd = stats::sd(c(x)),
    mcse_mean = posterior::mcse_mean(x), mcse_sd = posterior::mcse_sd(x),
    setNames(posterior::quantile2(x, c(0.05, 0.5, 0.95)), c("q5", "q50", "q95")),
    rhat = posterior::rhat(x), ess_bulk = posterior::ess_bulk(x),
    ess_tail = posterior::ess_tail(x), ess_mean = posterior::ess_mean(x)
  )
  for (percent in c(0, 5, 10, 50, 90, 95, 100)) {
    figures[paste0("mcse_q", percent)] <- posterior::mcse_quantile(x, percent / 100)
  }
  fractions <- energy_fractions(x)
  c(figures, setNames(fractions, paste0("ebfmi", seq_along(fractions))))
}

in_units <- c(located, "sd", "mcse_mean", "mcse_sd") # and mcse_q0, mcse_q5, ...

# Of draws in any unit, with posterior's figures of them in one where their range is near 1: it takes squares of small
# draws for constant (mcse_sd from 1e-8 on).
reference_of_small <- function(x) {
  range_of_all <- diff(range(x))
  if (!is.finite(range_of_all) || range_of_all == 0 || range_of_all > 1e-7) return(reference(x))
  unit <- 2^floor(log2(range_of_all))
  figures <- reference(x / unit)
  scaled <- names(figures) %in% in_units | startsWith(names(figures), "mcse_q")
  figures[scaled] <- figures[scaled] * unit
  figures
}

expected <- function(array) {
  near <- array$draws - array$offset
  stopifnot(identical(near + array$offset, array$draws))
  figures <- suppressWarnings(reference_of_small(near)) # it warns of capped sizes
  if (array$offset != 0) {
    figures[located] <- suppressWarnings(reference(array$draws))[located]
  }
  figures
}

# Whether every half chain stands still, not all of them at one place.
halves_stand_apart <- function(x) {
  half <- nrow(x) %/% 2
  first <- x[seq_len(half), , drop = FALSE]
  second <- x[nrow(x) - half + seq_len(half), , drop = FALSE]
  spread <- function(part) apply(part, 2, function(v) diff(range(v)))
  !anyNA(x) && all(spread(first) == 0) && all(spread(second) == 0) && diff(range(first, second)) > 0
}

is_compared <- function(array, keys) {
  if (nrow(array$draws) >= 4) return(rep(TRUE, length(keys)))
  keys %in% whole | startsWith(keys, "ebfmi")
}

agrees <- function(array, key, theirs, ours) {
  if (key == "rhat" && halves_stand_apart(array$draws)) {
    return(identical(ours, Inf) && (is.na(theirs) || theirs > 1e6))
  }
  if (is.na(theirs) || is.na(ours)) return(is.na(theirs) == is.na(ours))
  theirs == ours || abs(theirs - ours) <= tolerance * abs(theirs)
}

# `found`: the keys of figures that differ (mcse_q and ebfmi for all of theirs), once for each array.
differences <- function(arrays, references, say) {
  found <- character()
  compared <- 0
  for (i in seq_along(arrays)) {
    array <- arrays[[i]]
    theirs <- references[[i]]
    stopifnot(identical(names(theirs), names(array$figures)))
    for (key in names(theirs)[is_compared(array, names(theirs))]) {
      compared <- compared + 1
      ours <- array$figures[[key]]
      if (agrees(array, key, theirs[[key]], ours)) next
      found <- c(found, sub("^(mcse_q|ebfmi)[0-9]+$", "\\1", key))
      if (say) {
        cat(sprintf("DIFFERS: %s, %s: posterior %.17g, Mixwell %.17g\n", array$name, key,
                    theirs[[key]], ours))
      }
    }
  }
  list(found = found, compared = compared)
}

# What each mutant spoils: these must differ, nothing else may.
mutants <- list(
  unsplit = c("rhat", "ess_bulk", "ess_tail", "ess_mean"),
  `divisor-n` = c("sd", "mcse_mean"),
  `type-6` = c("q5", "q50", "q95"),
  nearly = c("mean", "sd", "q5", "q50", "q95", "mcse_mean", "mcse_sd", "mcse_q", "rhat", "ess_bulk",
             "ess_tail", "ess_mean", "ebfmi")
)

program <- commandArgs(trailingOnly = TRUE)[1]
arrays <- read_arrays(program)
references <- lapply(arrays, expected)
result <- differences(arrays, references, say = TRUE)
failed <- length(result$found) > 0
cat(length(arrays), "arrays,", result$compared, "figures compared,", length(result$found),
    "differ from posterior", as.character(version), "\n")
if (result$compared < 10000) {
  cat("FAILED: too few figures were compared\n")
  failed <- TRUE
}
for (mutant in names(mutants)) {
  found <- differences(read_arrays(program, mutant), references, say = FALSE)$found
  cat("mutant", mutant, "found by", length(found), "figures\n")
  if (!setequal(unique(found), mutants[[mutant]])) {
    cat("FAILED: it shows in", sort(unique(found)), "instead of", sort(mutants[[mutant]]), "\n")
    failed <- TRUE
  }
}
quit(status = as.integer(failed))
