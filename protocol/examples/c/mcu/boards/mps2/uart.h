#ifndef UART_H
#define UART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The CMSDK UARTs of the board (Arm DDI 0479), with a ring in each direction that its interrupts fill and
 * empty. The sizes of rings are powers of two.
 */

enum uart_number { UART_LOG, UART_MODEM, UART_DAC, UART_PINS };
#define UARTS 4

struct ring {
  uint8_t *bytes;
  uint32_t size;
  /** How many were ever put in and taken out. Each has one writer, so no lock is needed. */
  volatile uint32_t in, out;
};

struct uart {
  struct uart_registers *registers;
  struct ring received, sending;
};

extern struct uart uarts[UARTS];

void uart_start(void);
size_t uart_read(enum uart_number number, void *bytes, size_t room);
/** How many bytes were taken. */
size_t uart_write(enum uart_number number, const void *bytes, size_t count);
/** Whether the hardware has lost bytes since the last call. */
bool uart_overrun(enum uart_number number);

#endif
