#include "uart.h"

#include "mps2.h"

/*
 * The modem's UART has the flow control of its hardware: while the ring is full, the interrupt of receiving
 * is off, the byte stays in the data register, and the other side waits.
 */

struct uart_registers {
  volatile uint32_t data, state, control, interrupts, divider;
};

#define TX_FULL 1u
#define RX_FULL 2u
#define RX_OVERRUN 8u
#define TX_ON 1u
#define RX_ON 2u
#define TX_INTERRUPT 4u
#define RX_INTERRUPT 8u
/** 115,200 baud. */
#define DIVIDER (CLOCK_HZ / 115200)

static uint8_t modem_in[256], modem_out[64], pins_in[16], pins_out[4];
/** The DMA reads the samples where they are: this ring stands for it, and for a host that is slow. */
static uint8_t dac_out[1 << 16] __attribute__((section(".hardware")));

#ifdef NO_LOG
#define LOG_RING                                                                                             \
  {                                                                                                          \
    0                                                                                                        \
  }
#else
static uint8_t log_out[64];
#define LOG_RING RING(log_out)
#endif

#define RING(array)                                                                                          \
  {                                                                                                          \
    (array), sizeof(array), 0, 0                                                                             \
  }

struct uart uarts[UARTS] = {
    {(struct uart_registers *)0x40004000, {0}, LOG_RING},
    {(struct uart_registers *)0x40005000, RING(modem_in), RING(modem_out)},
    {(struct uart_registers *)0x40006000, {0}, RING(dac_out)},
    {(struct uart_registers *)0x40007000, RING(pins_in), RING(pins_out)},
};
/** The interrupt of receiving; that of sending is the next one. */
static const uint8_t INTERRUPTS[UARTS] = {0, 2, 4, 18};

void uart_start(void)
{
  for (unsigned number = 0; number < UARTS; number++) {
    const struct uart *uart = &uarts[number];
    uart->registers->divider = DIVIDER;
    uart->registers->control = TX_ON | TX_INTERRUPT | (uart->received.size > 0 ? RX_ON | RX_INTERRUPT : 0);
    interrupt_enable(INTERRUPTS[number]);
    interrupt_enable(INTERRUPTS[number] + 1u);
  }
}

static void receive(struct uart *uart)
{
  struct ring *ring = &uart->received;
  uart->registers->interrupts = 2;
  while (uart->registers->state & RX_FULL) {
    if (ring->in - ring->out == ring->size) {
      uart->registers->control &= ~RX_INTERRUPT;
      return;
    }
    ring->bytes[ring->in % ring->size] = (uint8_t)uart->registers->data;
    ring->in++;
  }
}

static void send(struct uart *uart)
{
  struct ring *ring = &uart->sending;
  uart->registers->interrupts = 1;
  while (ring->out != ring->in && !(uart->registers->state & TX_FULL)) {
    uart->registers->data = ring->bytes[ring->out % ring->size];
    ring->out++;
  }
}

void uart_interrupt(unsigned interrupt)
{
  for (unsigned number = 0; number < UARTS; number++) {
    if (interrupt == INTERRUPTS[number]) receive(&uarts[number]);
    if (interrupt == INTERRUPTS[number] + 1u) send(&uarts[number]);
  }
}

size_t uart_read(enum uart_number number, void *bytes, size_t room)
{
  struct uart *uart = &uarts[number];
  struct ring *ring = &uart->received;
  uint8_t *to = bytes;
  size_t count = 0;
  while (count < room && ring->out != ring->in) {
    to[count++] = ring->bytes[ring->out % ring->size];
    ring->out++;
  }
  if (count > 0 && !(uart->registers->control & RX_INTERRUPT)) {
    uint32_t mask = interrupts_off();
    uart->registers->control |= RX_INTERRUPT;
    /* The byte that waits has no interrupt any more. */
    receive(uart);
    interrupts_restore(mask);
  }
  return count;
}

size_t uart_write(enum uart_number number, const void *bytes, size_t count)
{
  struct uart *uart = &uarts[number];
  struct ring *ring = &uart->sending;
  const uint8_t *from = bytes;
  size_t taken = 0;
  while (taken < count && ring->in - ring->out < ring->size) {
    ring->bytes[ring->in % ring->size] = from[taken++];
    ring->in++;
  }
  uint32_t mask = interrupts_off();
  send(uart);
  interrupts_restore(mask);
  return taken;
}

bool uart_overrun(enum uart_number number)
{
  struct uart_registers *registers = uarts[number].registers;
  bool is_lost = registers->state & RX_OVERRUN;
  if (is_lost) registers->state = RX_OVERRUN;
  return is_lost;
}
