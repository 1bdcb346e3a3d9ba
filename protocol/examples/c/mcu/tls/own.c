#include "../net/own_tls.h"

#include "../board.h"
#include "layer.h"

/* The TLS of the firmware on this board: the factory's authority, the board's randomness, the hub's time. */

/** Unix seconds when the firmware was built. */
#ifndef BUILT_AT
#error "-DBUILT_AT=seconds: see the Makefile"
#endif

static bool random_bytes(void *context, void *bytes, size_t count)
{
  (void)context;
  return board_random(bytes, count);
}

/**
 * The time of the last welcome: its MAC shows that it is the hub's. Before the first welcome after a start,
 * the time of the build: a certificate that has expired since is taken once, and the key of sb/1 still
 * protects what is said.
 */
static uint64_t unix_seconds(void *context)
{
  const struct sb1 *device = context;
  uint64_t hub_seconds = (board_ms() + (uint64_t)device->hub_ahead_ms) / 1000;
  return hub_seconds > BUILT_AT ? hub_seconds : BUILT_AT;
}

/** The check of the certificate is over when MQTT begins, and it begins anew on each connection. */
static union {
  struct validity validity;
  struct link_buffers buffers;
} memory;

struct link_buffers *own_tls_buffers(void)
{
  return &memory.buffers;
}

const struct stream_layer *own_tls(const struct sb1 *device)
{
  static struct tls tls;
  static struct anchor anchor;
  static struct stream_layer layer;
  struct sb1_flash flash = board_flash(BOARD_FACTORY);
  if (!anchor_read(&flash, &anchor)) return NULL;
  const struct tls_config config = {.anchor = &anchor,
                                    .validity = &memory.validity,
                                    .context = (void *)(uintptr_t)device,
                                    .random = random_bytes,
                                    .unix_seconds = unix_seconds};
  layer = tls_layer(&tls, &config);
  return &layer;
}
