/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "base/status.h"

const char *plussi_status_text(pluss_status status)
{
    switch (status) {
#define PLUSSI_X(name, number, text)                                                               \
    case PLUSS_##name:                                                                             \
        return text;
        PLUSSI_STATUS_LIST(PLUSSI_X)
#undef PLUSSI_X
    }
    return "unknown status";
}

const char *plussi_status_name(pluss_status status)
{
    switch (status) {
#define PLUSSI_X(name, number, text)                                                               \
    case PLUSS_##name:                                                                             \
        return #name;
        PLUSSI_STATUS_LIST(PLUSSI_X)
#undef PLUSSI_X
    }
    return "?";
}
