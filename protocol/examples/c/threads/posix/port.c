#define _DEFAULT_SOURCE

#include "../port.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "port_options.h"
#include "task.h"

/* The machine is Linux. */

#define BEEP_CLIPS 3

static const struct options *options;
static uint64_t started_ms;

void port_use(const struct options *of_start)
{
  options = of_start;
  started_ms = now_ms();
}

bool port_random(void *bytes, size_t count)
{
  return getentropy(bytes, count) == 0;
}

void port_look(struct sb1_status *status)
{
  status->reset = options->reset;
  status->uptime_s = (uint32_t)((now_ms() - started_ms) / 1000);
  if (options->has_clock) status->clock_ms = clock_ms();
}

void port_off(int code)
{
  exit(code);
}

bool port_play(const struct sound *sound)
{
  unsigned clips = sound->clip_count > 0 ? sound->clip_count : BEEP_CLIPS;
  vTaskDelay(pdMS_TO_TICKS(clips * options->clip_ms));
  return true;
}

/* The connection. */

static int connection = -1;
static bool is_closed;

static const char *words_of(int error)
{
  static char words[64];
  return strerror_r(error, words, sizeof words) == 0 ? words : "unknown error";
}

/** The error of an attempt on one address, or 0. */
static int try_address(const struct addrinfo *address, uint32_t most_ms)
{
  int error = 0, on = 1;
  socklen_t length = sizeof error;
  connection = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (connection < 0) return errno;
  /* Without Nagle's algorithm: a small packet would wait for the TCP ack of the one before. */
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(connection, address->ai_addr, address->ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  struct pollfd made = {.fd = connection, .events = POLLOUT};
  if (poll(&made, 1, (int)most_ms) != 1) return ETIMEDOUT;
  return getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

const char *port_connect(const char *host, uint16_t port, uint32_t most_ms)
{
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *found;
  char service[6];
  snprintf(service, sizeof service, "%u", port);
  int error = getaddrinfo(host, service, &hints, &found);
  if (error != 0) return gai_strerror(error);
  is_closed = false;
  for (const struct addrinfo *at = found; at; at = at->ai_next) {
    if ((error = try_address(at, most_ms)) == 0) break;
    port_disconnect();
  }
  freeaddrinfo(found);
  return error == 0 ? NULL : words_of(error);
}

static size_t send_bytes(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
  return sent > 0 ? (size_t)sent : 0; /* Receiving shows the end of the connection. */
}

static size_t receive_bytes(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  ssize_t count = recv(connection, bytes, room, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) is_closed = true;
  return count > 0 ? (size_t)count : 0;
}

struct stream port_stream(void)
{
  return (struct stream){NULL, send_bytes, receive_bytes};
}

bool port_is_connected(void)
{
  return !is_closed;
}

void port_wait(bool wants_to_send, uint32_t most_ms)
{
  struct pollfd wait = {.fd = connection, .events = (short)(wants_to_send ? POLLIN | POLLOUT : POLLIN)};
  poll(&wait, 1, (int)most_ms);
}

void port_disconnect(void)
{
  if (connection >= 0) close(connection);
  connection = -1;
}
