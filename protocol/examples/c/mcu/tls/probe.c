#define _DEFAULT_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "layer.h"

/*
 * The TLS of the firmware on Linux, for tests: connects, sends a line, and prints what comes back until the
 * server ends. When TLS is open it gives away the memory of the check: whoever touches it then is killed.
 *
 *   tls-probe ANCHOR NAME ADDRESS PORT TEXT [SECONDS [PIECE]]
 *
 * ANCHOR is a file with the bytes of anchor.h. SECONDS is the time of the device, default now. At most PIECE
 * bytes are sent or received at once. Exit codes: 0: the server has answered and ended. 1: the cause is
 * printed. 2: wrong usage.
 */

#define PATIENCE_MS 10000

static FILE *anchor_file;
static uint64_t now_seconds;
static size_t piece = 4096;
static int descriptor;

static bool read_file(void *context, unsigned page, uint32_t offset, void *bytes, size_t length)
{
  (void)context;
  (void)page;
  memset(bytes, 0xFF, length);
  return fseek(anchor_file, (long)offset - ANCHOR_AT, SEEK_SET) == 0 &&
         (fread(bytes, 1, length, anchor_file) > 0);
}

static bool random_bytes(void *context, void *bytes, size_t count)
{
  (void)context;
  return getentropy(bytes, count) == 0;
}

static uint64_t unix_seconds(void *context)
{
  (void)context;
  return now_seconds;
}

static size_t moved(ssize_t count)
{
  return count > 0 ? (size_t)count : 0;
}

static size_t send_bytes(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  return moved(write(descriptor, bytes, count < piece ? count : piece));
}

static size_t receive_bytes(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  return moved(read(descriptor, bytes, room < piece ? room : piece));
}

static bool dial(const char *address, const char *port)
{
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *found;
  if (getaddrinfo(address, port, &hints, &found) != 0) return false;
  descriptor = socket(found->ai_family, found->ai_socktype, 0);
  bool is_open = connect(descriptor, found->ai_addr, found->ai_addrlen) == 0;
  freeaddrinfo(found);
  fcntl(descriptor, F_SETFL, O_NONBLOCK);
  return is_open;
}

static bool is_over(void)
{
  char byte;
  return recv(descriptor, &byte, 1, MSG_PEEK) == 0;
}

int main(int argc, char **argv)
{
  static struct tls tls;
  static struct anchor anchor;
  const struct sb1_flash flash = {.read = read_file};
  if (argc < 6 || !(anchor_file = fopen(argv[1], "rb"))) return 2;
  if (!anchor_read(&flash, &anchor)) return fputs("the anchor is damaged\n", stdout), 1;
  now_seconds = argc > 6 ? strtoull(argv[6], NULL, 10) : (uint64_t)time(NULL);
  if (argc > 7) piece = strtoul(argv[7], NULL, 10);
  if (!dial(argv[3], argv[4])) return perror("connect"), 2;
  const int access = PROT_READ | PROT_WRITE, kind = MAP_PRIVATE | MAP_ANONYMOUS;
  struct validity *validity = mmap(NULL, sizeof *validity, access, kind, -1, 0);
  if (validity == MAP_FAILED) return perror("mmap"), 2;
  const struct tls_config config = {
      .anchor = &anchor, .validity = validity, .random = random_bytes, .unix_seconds = unix_seconds};
  struct stream_layer layer = tls_layer(&tls, &config);
  layer.start(layer.context, (struct stream){NULL, send_bytes, receive_bytes}, argv[2]);
  const char *text = argv[5];
  size_t length = strlen(text), sent = 0, received = 0;
  for (;;) {
    enum layer_state state = layer.poll(layer.context, 0);
    if (state == LAYER_OPEN) mprotect(validity, sizeof *validity, PROT_NONE);
    uint8_t bytes[256];
    size_t count = layer.above.receive(layer.above.context, bytes, sizeof bytes);
    fwrite(bytes, 1, count, stdout);
    received += count;
    if (state == LAYER_FAILED && received > 0) return 0;
    if (state == LAYER_FAILED) return puts(layer.cause(layer.context)), 1;
    if (state == LAYER_OPEN && sent < length)
      sent += layer.above.send(layer.above.context, (const uint8_t *)text + sent, length - sent);
    struct pollfd ready = {.fd = descriptor, .events = POLLIN};
    if (count == 0 && is_over()) return puts("the server has closed"), received > 0 ? 0 : 1;
    if (count == 0 && sent == length && poll(&ready, 1, PATIENCE_MS) == 0) return puts("nothing came"), 1;
  }
}
