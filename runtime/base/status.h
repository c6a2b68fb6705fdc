/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Status codes: what every function that can fail returns.
 */
#ifndef PLUSSI_BASE_STATUS_H
#define PLUSSI_BASE_STATUS_H

#define PLUSS_NODISCARD __attribute__((warn_unused_result))

/* X(name, number, text). Numbers are part of the ABI: append, never renumber. */
#define PLUSSI_STATUS_LIST(X)                                                                      \
    X(OK, 0, "ok")                                                                                 \
    X(ENOMEM, 1, "out of memory")                                                                  \
    X(EINVAL, 2, "invalid argument")                                                               \
    X(ERANGE, 3, "a number is out of range")                                                       \
    X(EPARSE, 4, "the text is not a nest description")                                             \
    X(EINVALID, 5, "the nest is not well formed")                                                  \
    X(EUNBOUND, 6, "a symbol has no value")                                                        \
    X(EUNSUPPORTED, 7, "the engine cannot take this construct")                                    \
    X(ELIMIT, 8, "a limit of the library is exceeded")                                             \
    X(EIO, 9, "a file cannot be read or written")                                                  \
    X(EFORMAT, 10, "the file is not in the expected format")                                       \
    X(ENOTFOUND, 11, "no such thing")                                                              \
    X(ECANCELLED, 12, "cancelled by the caller")                                                   \
    X(EINTERNAL, 13, "internal error")                                                             \
    X(EEMPTY, 14, "nothing is accessed")

#ifndef PLUSS_H /* the installed header spells the same enumeration out; ffi/ checks that it does  \
                 */
typedef enum pluss_status {
#define PLUSSI_X(name, number, text) PLUSS_##name = number,
    PLUSSI_STATUS_LIST(PLUSSI_X)
#undef PLUSSI_X
} pluss_status;
#endif

/* Fixed English text of a status; never NULL. */
const char *plussi_status_text(pluss_status status);
/* Its name without prefix ("ENOMEM"); never NULL. */
const char *plussi_status_name(pluss_status status);

#endif
