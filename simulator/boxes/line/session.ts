import { Socket } from 'node:net'
import mqtt from 'mqtt'
import type { Clock } from '../../platform/clock.ts'
import { keepaliveTimer } from '../../speaker/connection/keepalive-timer.ts'
import { describeEnd } from '../../speaker/connection/link-end.ts'
import { wrapStream } from '../../speaker/connection/session.ts'
import type { BoxEffect } from '../core/effects.ts'
import type { Login } from '../core/firmware.ts'
import { StallingStream } from './stalling-stream.ts'

export interface BoxPacket {
  direction: 'in' | 'out'
  /** The MQTT packet: connect, connack, … */
  packet: string
  topic?: string
  payload?: string
  qos?: number
}

export interface BoxSessionListener {
  packet(packet: BoxPacket): void
  connected(): void
  subscribed(): void
  /** A PUBLISH. The answer says whether the PUBACK may leave. */
  message(topic: string, payload: Uint8Array): boolean
  /** Called exactly once, whatever ends the session. */
  ended(end: { reason: string; code?: number }): void
}

/** One MQTT 3.1.1 session of a box. It sends no DISCONNECT of its own: such boxes only lose their power. */
export class BoxSession {
  readonly #client: mqtt.MqttClient
  readonly #listener: BoxSessionListener
  #stream: StallingStream | undefined
  #failure: { reason: string; code?: number } | undefined
  #ended = false

  constructor(
    url: string,
    login: Login,
    options: { clock: Clock; stalled: boolean; listener: BoxSessionListener },
  ) {
    this.#listener = options.listener
    const client = mqtt.connect(url, clientOptions(login, options.clock))
    this.#client = client
    wrapStream(client, (open) => {
      const line = open()
      if (line instanceof Socket) line.setNoDelay(true)
      this.#stream = new StallingStream(line, options.stalled)
      return this.#stream
    })
    this.#listen(url)
    client.connect()
  }

  perform(effect: Extract<BoxEffect, { type: 'subscribe' | 'publish' }>) {
    if (this.#ended) return
    if (effect.type === 'subscribe') return this.#subscribe(effect.topic, effect.qos)
    const { topic, payload, qos, retain = false } = effect
    this.#client.publish(topic, payload, { qos, retain }, () => undefined)
  }

  stall(on: boolean): void {
    this.#stream?.stall(on)
  }

  /** Drops the connection without a DISCONNECT. */
  drop(reason: string): void {
    this.#end({ reason })
  }

  #listen(url: string): void {
    const client = this.#client
    const { packet } = this.#listener
    client.on('packetsend', (sent) => packet(noteOf('out', sent)))
    client.on('packetreceive', (received) => packet(noteOf('in', received)))
    client.on('connect', () => this.#ended || this.#listener.connected())
    let confirms = true
    client.on('message', (topic, payload) => {
      if (!this.#ended) confirms = this.#listener.message(topic, payload)
    })
    // MQTT.js sends the PUBACK when this calls back, and none when it calls back with an error.
    client.handleMessage = (_packet, done) => done(confirms ? undefined : new Error('no PUBACK'))
    client.on('error', (error) => {
      const { reason, code } = describeEnd(error, url)
      this.#failure ??= { reason, ...(typeof code === 'number' ? { code } : {}) }
    })
    client.on('close', () => this.#end(this.#failure ?? { reason: 'the hub closed the connection' }))
  }

  #subscribe(topic: string, qos: 0 | 1): void {
    this.#client.subscribe(topic, { qos }, (error) => {
      if (this.#ended) return
      if (error) this.drop('the hub refused the subscription')
      else this.#listener.subscribed()
    })
  }

  #end(end: { reason: string; code?: number }): void {
    if (this.#ended) return
    this.#ended = true
    this.#client.end(true)
    this.#listener.ended(end)
  }
}

function clientOptions(
  { clientId, username, password, clean, keepaliveS, will }: Login,
  clock: Clock,
): mqtt.IClientOptions {
  return {
    protocolVersion: 4,
    ...{ clientId, username, password, clean },
    keepalive: keepaliveS,
    manualConnect: true,
    reconnectPeriod: 0,
    resubscribe: false,
    ...(will ? { will: { ...will, payload: Buffer.from(will.payload) } } : {}),
    timerVariant: keepaliveTimer(clock),
  }
}

function noteOf(direction: 'in' | 'out', packet: mqtt.Packet): BoxPacket {
  if (packet.cmd !== 'publish') return { direction, packet: packet.cmd }
  const { cmd, topic, payload, qos } = packet
  return { direction, packet: cmd, topic, qos, payload: payload.toString() }
}
