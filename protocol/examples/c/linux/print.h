#ifndef PRINT_H
#define PRINT_H

#include "../common/say.h"

/** Standard output. */
extern const struct say print;

#endif
