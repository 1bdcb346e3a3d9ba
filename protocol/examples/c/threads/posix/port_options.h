#ifndef PORT_OPTIONS_H
#define PORT_OPTIONS_H

#include "../../linux/start.h"

/** The options of the program, which stay where they are. Call it before the tasks start. */
void port_use(const struct options *options);

#endif
