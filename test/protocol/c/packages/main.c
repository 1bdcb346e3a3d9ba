#include <stdio.h>
#include <string.h>

#include "sb1/sb1.h"

/* A firmware that links the core: it prints what it was built with, and whether the core was built alike. */

static uint16_t publish(void *context, enum sb1_kind kind, const char *payload, size_t length)
{
  (void)context, (void)kind, (void)payload, (void)length;
  return 1;
}

static bool keep(void *context, const struct sb1_memory *memory)
{
  (void)context, (void)memory;
  return true;
}

static void tell(void *context, const struct sb1_event *event)
{
  (void)context, (void)event;
}

int main(void)
{
  static struct {
    struct sb1 device;
    unsigned char behind[sizeof(struct sb1)];
  } room;
  const struct sb1_config config = {.serial = "SHOP-0001", .firmware = "1", .model = "1", .rx_bytes = 256};
  const struct sb1_world world = {.publish = publish, .keep = keep, .tell = tell};
  const struct sb1_memory memory = {.played = 1};
  const struct sb1_ring ring = {.has_next = false};
  memset(&room, 0xFF, sizeof room);
  bool is_ready = sb1_init(&room.device, &config, &ring, &world, &memory);
  /* `sb1_init` clears the whole state, whose last member is `tx`. */
  bool is_alike = room.behind[0] == 0xFF && room.device.tx[SB1_TX_BYTES - 1] == 0;
  bool has_qr = false, has_update = true;
#ifndef SB1_NO_QR
  has_qr = true;
#endif
#ifdef SB1_NO_UPDATE
  has_update = false;
#endif
  printf("%s ready=%d alike=%d qr=%d update=%d rx=%d sounds=%d key=%d\n", SB1_VERSION, is_ready, is_alike,
         has_qr, has_update, SB1_RX_BYTES, SB1_SOUNDS, SB1_KEY_ROOM);
  return 0;
}
