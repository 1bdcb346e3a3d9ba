#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <signal.h>
#include <stdio.h>

#include "../../linux/print.h"
#include "../audio_task.h"
#include "../core_task.h"
#include "../network_task.h"
#include "port_options.h"

/*
 * The program of the tasks on Linux. Its options are those of the Linux program, without TLS and inputs. This
 * thread has the part of the power button: it waits for a signal.
 */

int main(int argc, char **argv)
{
  static struct options options;
  static struct stores stores;
  static struct core core;
  const struct sb1_world world = core_world(&core);
  sigset_t offs;
  int signal;
  int code = read_options(argc, argv, &options);
  if (code >= 0) return code;
  if (options.has_tls || options.has_inputs) {
    fputs("This program has neither TLS nor inputs.\n", stderr);
    return 2;
  }
  core.memory = &stores.memory;
  core.ring = &stores.ring;
  core.log = &print;
  core.answer_ms = options.answer_ms;
  code = start_device(&core.device, &options, &world, &stores);
  if (code >= 0) return code;
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  sigemptyset(&offs);
  sigaddset(&offs, SIGINT);
  sigaddset(&offs, SIGTERM);
  sigaddset(&offs, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &offs, NULL);
  port_use(&options);
  network_start(options.serial, options.host, (uint16_t)options.port, options.answer_ms);
  audio_start();
  core_start(&core);
  while (sigwait(&offs, &signal) == 0) core_send((struct event){.type = EVENT_OFF});
  return 1;
}
