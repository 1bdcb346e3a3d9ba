import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { DelayedStream, type DelayOptions } from './delayed-stream.ts'

/**
 * Makes the speaker's line of the stream that MQTT.js has opened. `#line` in package.json names this file, and
 * browser.ts for the pages.
 *
 * Disables Nagle's algorithm. With it, an ack waits up to 40 ms until the hub's system confirms the PUBACK before it.
 */
export function lineOf(stream: Duplex, delay: DelayOptions): Duplex {
  return new DelayedStream(stream instanceof Socket ? stream.setNoDelay(true) : stream, delay)
}
