#define _GNU_SOURCE

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
#include <sys/un.h>
#include <unistd.h>

#include "device.h"

/* Errors of +QIOPEN. */
#define NO_NAME 565
#define NO_CONNECTION 566

static struct {
  int socket, uart, pins;
  bool is_closed;
} ends = {-1, -1, -1, false};

/* The network of the modem for tests. */

static int net_connect(void *context, const char *host, unsigned port)
{
  struct addrinfo *found, hints = {.ai_socktype = SOCK_STREAM};
  char service[8];
  int error = 0;
  socklen_t size = sizeof error;
  (void)context;
  if (ends.socket >= 0) {
    struct pollfd opened = {.fd = ends.socket, .events = POLLOUT};
    if (poll(&opened, 1, 0) == 0) return -1;
    getsockopt(ends.socket, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) close(ends.socket), ends.socket = -1;
    return error == 0 ? 0 : NO_CONNECTION;
  }
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(host, service, &hints, &found) != 0) return NO_NAME;
  ends.is_closed = false;
  ends.socket = socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  setsockopt(ends.socket, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
  error = connect(ends.socket, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
  freeaddrinfo(found);
  return error == 0 ? 0 : -1;
}

static size_t net_send(void *context, const uint8_t *bytes, size_t count)
{
  (void)context;
  ssize_t sent = send(ends.socket, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN) ends.is_closed = true;
  return sent < 0 ? 0 : (size_t)sent;
}

static size_t net_receive(void *context, uint8_t *bytes, size_t room)
{
  (void)context;
  if (room == 0) return 0;
  ssize_t count = recv(ends.socket, bytes, room, MSG_DONTWAIT);
  if (count == 0 || (count < 0 && errno != EAGAIN)) ends.is_closed = true;
  return count < 0 ? 0 : (size_t)count;
}

static bool net_is_closed(void *context)
{
  (void)context;
  return ends.is_closed;
}

static void net_close(void *context)
{
  (void)context;
  if (ends.socket >= 0) close(ends.socket);
  ends.socket = -1;
}

/* A modem behind a socket. */

static size_t uart_read(void *context, void *bytes, size_t room)
{
  (void)context;
  ssize_t count = recv(ends.uart, bytes, room, MSG_DONTWAIT);
  return count < 0 ? 0 : (size_t)count;
}

static size_t uart_write(void *context, const void *bytes, size_t count)
{
  (void)context;
  ssize_t sent = send(ends.uart, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent < 0 ? 0 : (size_t)sent;
}

static bool uart_overrun(void *context)
{
  (void)context;
  return false;
}

static void uart_reset(void *context)
{
  (void)context;
  if (ends.pins >= 0) send(ends.pins, "R", 1, MSG_NOSIGNAL);
}

/** -1 if the variable is not set or the socket is not there. */
static int open_socket(const char *variable)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv(variable);
  if (!path || strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(opened, (struct sockaddr *)&address, sizeof address) == 0) return opened;
  close(opened);
  return -1;
}

bool open_uart(struct speaker *speaker, struct modem_uart *uart)
{
  static const struct peer peer = {NULL, net_connect, net_send, net_receive, net_is_closed, net_close};
  ends.uart = open_socket("MODEM_UART");
  ends.pins = open_socket("MODEM_PINS");
  fake_start(&speaker->fake, &peer);
  *uart = ends.uart >= 0 ? (struct modem_uart){NULL, uart_read, uart_write, uart_overrun, uart_reset}
                         : fake_uart(&speaker->fake);
  return ends.uart >= 0 || !getenv("MODEM_UART");
}

int poll_uart(struct speaker *speaker, uint64_t now_ms)
{
  if (ends.uart >= 0) return ends.uart;
  fake_poll(&speaker->fake, now_ms);
  return ends.socket;
}
