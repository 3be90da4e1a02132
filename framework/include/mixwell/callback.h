/* The C interface of the model `callback`: a function that computes U = -log density in batches.
 * SPDX-License-Identifier: Apache-2.0
 *
 *   #include <mixwell/callback.h>
 *   int my_density(size_t dimension, size_t columns, const double* theta, double* u,
 *                  double* gradient, void* user_data);
 *
 * dimension: d, the sum of the sizes of `parameters` in the manifest. The coordinates of a point
 *            are in the order of `parameters`.
 * columns:   R >= 1, the number of points. It may differ between calls.
 * theta:     d x R, column after column: coordinate i of point j is theta[j * d + i]. Do not change
 *            it.
 * u:         R numbers. The function writes U of each point here, in nats, up to a constant that is
 *            the same for all points. If a parameter is recorded through a transform, U is the
 *            potential of theta, not of the recorded values, so it includes -log |Jacobian|. Write
 *            +INFINITY outside the support. A NAN at one point does not affect the other points.
 * gradient:  d x R like theta. The function writes the derivatives of U here. It is NULL if Mixwell
 *            needs only U. Mixwell does not read the gradient at points where U is infinite.
 * user_data: the address that was passed to mixwell_offer_function, or NULL for a function from a
 *            library.
 *
 * Return 0 on success, or a nonzero number if the function cannot evaluate the points. A nonzero
 * number ends the run. Use it for broken data, not for points outside the support.
 *
 * The function must return the same numbers for the same arguments. Unless the manifest has
 * `threads = true`, Mixwell makes only one such call at a time in a process, even if there are
 * several functions. Successive calls may come from different threads. In C++, declare the function
 * extern "C". No exception may leave the function.
 */
#ifndef MIXWELL_CALLBACK_H
#define MIXWELL_CALLBACK_H

#include <stddef.h>

typedef int (*mixwell_callback)(size_t dimension, size_t columns, const double* theta, double* u,
                                double* gradient, void* user_data);

#ifdef __cplusplus
extern "C" {
#endif

/* Offers a function of a program that embeds Mixwell to the manifests of this process. In a
 * manifest, `function = "NAME"` then means this function, and Mixwell passes `user_data` to it.
 * `version` is NULL, or a string that you change whenever you change the function. A manifest must
 * state the same version. A second call with the same name replaces the function, and a NULL
 * function removes it. Models that already exist keep the old function. Any thread may call
 * mixwell_offer_function. Returns 0, or 1 if the name is NULL or empty.
 */
__attribute__((visibility("default"))) int mixwell_offer_function(const char* name,
                                                                  const char* version,
                                                                  mixwell_callback function,
                                                                  void* user_data);

/* Finds the function that is offered under this name. Writes the outputs and returns 0, or returns
 * 1 if no function has this name. `version` becomes NULL if the function has no version. The
 * version string is valid until this thread calls mixwell_find_function again. */
__attribute__((visibility("default"))) int mixwell_find_function(const char* name,
                                                                 const char** version,
                                                                 mixwell_callback* function,
                                                                 void** user_data);

#ifdef __cplusplus
}
#endif

#endif
