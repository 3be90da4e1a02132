/* The interface of C functions for the model `callback`: U = -log density at many points at once.
 * SPDX-License-Identifier: Apache-2.0
 *
 *   #include <mixwell/callback.h>
 *   int my_density(size_t dimension, size_t columns, const double* theta, double* u,
 *                  double* gradient, void* user_data);
 *
 * dimension: d, the sum of the sizes of `parameters` in the manifest, in their order.
 * columns:   R >= 1, the number of points. It may differ between calls.
 * theta:     d x R, column after column: coordinate i of point j is theta[j * d + i]. Do not change
 *            it.
 * u:         R numbers. The function writes U of each point here, in nats, up to a constant that is
 *            the same for all points. If a parameter is recorded through a transform, U is a
 *            function of theta and includes -log |Jacobian|. Write +INFINITY outside the support.
 *            NAN affects only its own point.
 * gradient:  d x R like theta. The function writes the derivatives of U here. NULL if only U is
 *            wanted. The gradient is not read at points where U is infinite.
 * user_data: the address that was passed to mixwell_offer_function, or NULL for a function from a
 *            library.
 *
 * Returns 0, or another number if no point can be evaluated. Another number ends the run. Use it
 * for broken data, not for points outside the support.
 *
 * The function must return the same numbers for the same arguments. Unless the manifest says
 * `threads = true`, a process calls only one function of this kind at a time, on one thread. Calls
 * may come from different threads. In C++, declare the function extern "C". No exception may leave
 * the function.
 */
#ifndef MIXWELL_CALLBACK_H
#define MIXWELL_CALLBACK_H

#include <stddef.h>

typedef int (*mixwell_callback)(size_t dimension, size_t columns, const double* theta, double* u,
                                double* gradient, void* user_data);

#ifdef __cplusplus
extern "C" {
#endif

/* Offers a function of this process, for programs that embed Mixwell. In a manifest,
 * `function = "NAME"` then means this function, and Mixwell passes `user_data` to it. `version` is
 * a text that changes whenever the function changes, or NULL. A manifest must state the same
 * version. A second call with the same name replaces the function, and a NULL function removes it.
 * Existing compositions do not change. Any thread may call mixwell_offer_function. Returns 0, or 1
 * if the name is NULL or empty.
 */
__attribute__((visibility("default"))) int mixwell_offer_function(const char* name,
                                                                  const char* version,
                                                                  mixwell_callback function,
                                                                  void* user_data);

/* Finds the function that is offered under this name. Writes the function and returns 0, or returns
 * 1 if no function has this name. `version` becomes NULL if the function has no version. The text
 * is valid until this thread's next call. */
__attribute__((visibility("default"))) int mixwell_find_function(const char* name,
                                                                 const char** version,
                                                                 mixwell_callback* function,
                                                                 void** user_data);

#ifdef __cplusplus
}
#endif

#endif
