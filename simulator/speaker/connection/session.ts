import mqtt from 'mqtt'
import { lineOf } from '#line'
import { bytesOf } from '#platform'
import { type DeviceKeys, passwordOf } from '../../../protocol/keys.ts'
import type { Will } from '../../../protocol/messages/will.ts'
import { downTopic, UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import type { Clock } from '../../platform/clock.ts'
import type { LinkEnd } from '../device/state/events.ts'
import { keepaliveTimer } from './keepalive-timer.ts'
import { describeEnd } from './link-end.ts'

const KEEPALIVE_S = 30
/** The property in which MQTT.js 5 keeps the function that opens its stream. */
const STREAM_BUILDER = 'streamBuilder'
/** The packet of MQTT 3.1.1, 3.14, which has no fields. */
const DISCONNECT = Uint8Array.of(0xe0, 0)
/** How long a clean disconnect may take before the connection is dropped. */
const BYE_TIMEOUT_MS = 2_000

export interface SessionOptions {
  clock: Clock
  /** The delay of the next bytes in either direction, in milliseconds. */
  delayMs: () => number
  serial: string
  keys: DeviceKeys
  url: string
  /** New for each CONNECT. */
  sid: string
  /** Opens the line to the hub in place of a socket. */
  dial?: Dial | undefined
}

/** The streams that MQTT.js takes: those of Node.js, and of its own copy in a browser. */
type Stream = ReturnType<mqtt.StreamBuilder>
/** It has no name for what it publishes, and takes any bytes. */
type Payload = Parameters<mqtt.MqttClient['publish']>[1]

export type Dial = (url: string) => Stream

export interface SessionListener {
  /** An MQTT packet other than PUBLISH was sent or received. */
  packet(direction: 'in' | 'out', packet: string): void
  /** The SUBACK has arrived. */
  opened(): void
  /** The session has sent its `bye`. */
  byeSent(payload: Uint8Array): void
  /** A PUBLISH on the down topic. */
  message(payload: Uint8Array): void
  /** Called exactly once, whatever ends the session. */
  ended(end: LinkEnd): void
}

/** One MQTT session: connect, subscribe, exchange messages, close. */
export class Session {
  readonly #options: SessionOptions
  readonly #listener: SessionListener
  readonly #client: mqtt.MqttClient
  /** The first error, for the report when the connection closes. */
  #failure: LinkEnd | undefined
  #ended = false
  #closing: Promise<void> | undefined

  constructor(options: SessionOptions, listener: SessionListener) {
    this.#options = options
    this.#listener = listener
    this.#client = mqtt.connect(options.url, clientOptions(options))
    const { url, dial } = options
    wrapStream(this.#client, (open) => lineOf(dial ? dial(url) : open(), options))
    this.#listen()
    this.#client.connect()
  }

  /** Publishes a payload; calls `stored` when its PUBACK arrives (QoS 1 only). */
  publish(kind: UpKind, payload: Uint8Array, stored?: () => void): void {
    const topic = upTopic(this.#options.serial, kind)
    this.#client.publish(topic, payload as Payload, { qos: UP_QOS[kind] }, (error) => {
      if (!error && !this.#ended) stored?.()
    })
  }

  /** Sends `bye`, disconnects cleanly, and resolves when the connection is closed. */
  close(reason: string): Promise<void> {
    this.#closing ??= this.#close(reason)
    return this.#closing
  }

  /** Drops the connection without a DISCONNECT, as a pulled cable does. */
  drop(reason: string): void {
    this.#end({ reason })
  }

  #listen(): void {
    const client = this.#client
    const { packet } = this.#listener
    client.on('packetsend', ({ cmd }) => cmd !== 'publish' && packet('out', cmd))
    client.on('packetreceive', ({ cmd }) => cmd !== 'publish' && packet('in', cmd))
    client.on('connect', () => this.#subscribe())
    client.on('message', (_topic, payload) => {
      if (!this.#ended) this.#listener.message(payload)
    })
    client.on('error', (error) => {
      this.#failure ??= describeEnd(error, this.#options.url)
    })
    client.on('close', () => this.#end(this.#failure ?? { reason: 'the hub closed the connection' }))
  }

  #subscribe(): void {
    this.#client.subscribe(downTopic(this.#options.serial), { qos: 1 }, (error, granted) => {
      if (this.#ended) return
      if (error || granted?.[0]?.qos !== 1) this.drop('the hub refused the subscription')
      else this.#listener.opened()
    })
  }

  async #close(reason: string): Promise<void> {
    const { serial, sid, clock } = this.#options
    this.#failure = { reason }
    if (this.#client.connected) {
      const bye = willText(sid, 'bye')
      this.#listener.byeSent(bytesOf(bye))
      const closed = sendBye(this.#client, clock, upTopic(serial, 'will'), bye)
      this.#listener.packet('out', 'disconnect')
      await closed
    }
    this.#end(this.#failure)
  }

  #end(end: LinkEnd): void {
    if (this.#ended) return
    this.#ended = true
    this.#client.end(true)
    this.#listener.ended(end)
  }
}

/** Puts a line of ours between MQTT.js and its own stream, which it opens as the URL says. It has no option for this. */
export function wrapStream(client: mqtt.MqttClient, wrap: (open: () => Stream) => Stream): void {
  const open: unknown = Reflect.get(client, STREAM_BUILDER)
  if (typeof open !== 'function') throw new Error(`MQTT.js has no ${STREAM_BUILDER} any more`)
  Reflect.set(client, STREAM_BUILDER, (of: mqtt.MqttClient) => wrap(() => open(of)))
}

function clientOptions({ serial, keys, sid, clock }: SessionOptions): mqtt.IClientOptions {
  return {
    protocolVersion: 4,
    clientId: serial,
    username: serial,
    password: passwordOf(keys),
    clean: true,
    keepalive: KEEPALIVE_S,
    manualConnect: true,
    reconnectPeriod: 0,
    resubscribe: false,
    will: {
      topic: upTopic(serial, 'will'),
      payload: willText(sid, 'lost'),
      qos: UP_QOS.will,
      retain: false,
    },
    timerVariant: keepaliveTimer(clock),
  }
}

function willText(sid: string, reason: Will['reason']): string {
  const will: Will = { sid, reason }
  return JSON.stringify(will)
}

/**
 * Publishes `bye` and sends DISCONNECT behind it, in one piece (sb/1 3.2). A page that is being closed runs no later task,
 * so it can't wait for the PUBACK. Resolves when the hub has closed the connection, or does not close it in time.
 */
function sendBye(client: mqtt.MqttClient, clock: Clock, topic: string, payload: string): Promise<void> {
  return new Promise((resolve) => {
    const cancelTimer = clock.wakeAt(clock.now() + BYE_TIMEOUT_MS, resolve)
    client.once('close', () => {
      cancelTimer()
      resolve()
    })
    client.publish(topic, payload, { qos: UP_QOS.will })
    // MQTT.js would send its own DISCONNECT behind the PUBACK.
    client.stream.end(DISCONNECT)
  })
}
