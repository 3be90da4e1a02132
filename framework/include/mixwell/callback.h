/* What a C function has to be for the model `callback`: U = -log density at many points at once.
 * SPDX-License-Identifier: Apache-2.0
 *
 *   #include <mixwell/callback.h>
 *   int my_density(size_t dimension, size_t columns, const double* theta, double* u,
 *                  double* gradient, void* user_data);
 *
 * dimension: d, the sum of the sizes of `parameters` in the manifest, in their order.
 * columns:   R >= 1, how many points there are. It may be another one at each call.
 * theta:     d x R, column after column: coordinate i of point j is theta[j * d + i]. Not to be
 *            changed.
 * u:         R numbers, to be written: U of each point in nats, but for a constant that is the same
 *            for all. Where a parameter is recorded through a transform, U is that of theta, with
 *            the Jacobian in it. +INFINITY outside the support; NAN is trouble of only that point.
 * gradient:  d x R as theta, to be written: the derivatives of U. NULL where only U is wanted.
 *            Where U is infinite it is not read.
 * user_data: the address that the function was offered with, or NULL for one of a library.
 *
 * Returns 0, or another number where no point can be evaluated, which ends the run: that is for
 * broken data, not for points outside the support.
 *
 * It must give the same numbers whenever it is called with the same arguments. One thread at a time
 * calls it, of all functions of this kind in a process, unless the manifest says `threads = true`.
 * It may be called from another thread than the one before. In C++, declare it extern "C"; no
 * exception may leave it.
 */
#ifndef MIXWELL_CALLBACK_H
#define MIXWELL_CALLBACK_H

#include <stddef.h>

typedef int (*mixwell_callback)(size_t dimension, size_t columns, const double* theta, double* u,
                                double* gradient, void* user_data);

#ifdef __cplusplus
extern "C" {
#endif

/* For programs that embed Mixwell: from now on `function = "NAME"` in a manifest is this function of
 * the process, called with `user_data`. `version` is a text that changes when the function does, or
 * NULL: a manifest must name the same one. An offer of a name takes the place of the one before, and
 * a NULL function takes it away; neither concerns a composition that is made already. All threads
 * may call this. Returns 0, or 1 where the name is NULL or empty.
 */
__attribute__((visibility("default"))) int mixwell_offer_function(const char* name,
                                                                  const char* version,
                                                                  mixwell_callback function,
                                                                  void* user_data);

/* What is offered under that name: writes it and returns 0, or returns 1 where nothing is. `version`
 * is NULL for none, and is good until this thread calls again. */
__attribute__((visibility("default"))) int mixwell_find_function(const char* name,
                                                                 const char** version,
                                                                 mixwell_callback* function,
                                                                 void** user_data);

#ifdef __cplusplus
}
#endif

#endif
