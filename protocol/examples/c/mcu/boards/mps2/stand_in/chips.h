#ifndef CHIPS_H
#define CHIPS_H

/** Opens the files of the flash chips: see chips.c. */
void chips_start(void);

#endif
