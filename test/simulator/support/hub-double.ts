import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Aedes, type Client, type PublishPacket } from 'aedes'
import { downPrefix, openFrame, parsePlain, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { type DeviceKeys, deriveKeys } from '../../../protocol/keys.ts'
import type { CommandBody, CommandType } from '../../../protocol/messages/command.ts'
import { downTopic, parseUpTopic, type UpKind } from '../../../protocol/topics.ts'

/** A message from the speaker, with its frame opened. */
export interface Heard {
  kind: UpKind
  qos: number
  body: Record<string, unknown>
  /** Whether the MAC is valid for the session (true for messages without one). */
  verified: boolean
}

export interface Envelope {
  t: string
  id: string
  n: number
  at: number
  ttl: number
}

export interface HubDoubleOptions {
  serial: string
  key: Buffer
  port?: number
  /** The d of the welcome; `false` sends none. */
  welcome?: CommandBody<'welcome'> | false
  /** Whether to confirm acks with a PUBACK; default true. */
  storesAcks?: () => boolean
  /** Seconds since the epoch. */
  now?: () => number
}

const ULID_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A well-formed command id, derived from the number. */
export function commandIdOf(number: number): string {
  let tail = ''
  for (let rest = number; tail.length < 16; rest = Math.floor(rest / 32))
    tail = `${ULID_ALPHABET.charAt(rest % 32)}${tail}`
  return `01JD3Z8Q6X${tail}`
}

/** Starts a listening double. */
export async function startHubDouble(options: HubDoubleOptions): Promise<HubDouble> {
  const hub = new HubDouble(options, await Aedes.createBroker({ drainTimeout: 1_000 }))
  await hub.listen()
  return hub
}

/**
 * Simulates the hub for one speaker on a real broker on a free local port. It answers each birth with a welcome, and
 * sends other commands as the test says.
 */
export class HubDouble {
  url = ''
  readonly heard: Heard[] = []
  /** The CONNECT packets, oldest first. */
  readonly connects: {
    clientId: string
    username: string
    clean: boolean
    keepalive: number
    sid: string
  }[] = []
  readonly #options: HubDoubleOptions
  readonly #keys: DeviceKeys
  readonly #broker: Aedes
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #clients = new Map<string, Client>()
  readonly #waiting: { fits: (heard: Heard) => boolean; resolve: (heard: Heard) => void }[] = []
  #sid = ''
  #n = 0

  constructor(options: HubDoubleOptions, broker: Aedes) {
    this.#options = options
    this.#keys = deriveKeys(options.key)
    this.#broker = broker
    this.#server = createServer((socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
      broker.handle(socket)
    })
    this.#guard()
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#options.port ?? 0, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (address && typeof address === 'object') this.url = `mqtt://127.0.0.1:${address.port}`
  }

  /** Sends a command in the current session. Returns its id. */
  async send<T extends CommandType>(
    t: T,
    d: CommandBody<T>,
    envelope: Partial<Envelope> = {},
  ): Promise<string> {
    this.#n = Math.max(this.#n + 1, envelope.n ?? 0)
    const n = envelope.n ?? this.#n
    const command = { t, id: commandIdOf(n), n, at: this.#now(), ttl: 120, ...envelope, d }
    await this.sendRaw(sealFrame(this.#keys.down, downPrefix(this.#options.serial, this.#sid), command))
    return command.id
  }

  /** Sends raw bytes. */
  sendRaw(frame: Uint8Array): Promise<void> {
    const payload = Buffer.from(frame)
    const topic = downTopic(this.#options.serial)
    const client = this.#clients.get(this.#options.serial)
    return new Promise((resolve, reject) => {
      if (!client) return reject(new Error('the speaker is not connected'))
      const packet = { cmd: 'publish', topic, payload, qos: 1, retain: false, dup: false } as const
      client.publish(packet, (error) => (error ? reject(error) : resolve()))
    })
  }

  /** Resolves with the first matching message, past or future. */
  until(fits: (heard: Heard) => boolean): Promise<Heard> {
    const known = this.heard.find(fits)
    if (known) return Promise.resolve(known)
    return new Promise((resolve) => this.#waiting.push({ fits, resolve }))
  }

  /** Drops every connection. */
  cutLines(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cutLines()
    await new Promise<void>((resolve) => this.#broker.close(() => resolve()))
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #guard(): void {
    const { serial } = this.#options
    const broker = this.#broker
    broker.preConnect = (_client, packet, done) => {
      const will = packet.will ? parsePlain(Buffer.from(packet.will.payload)) : undefined
      this.#sid = will?.ok ? String(Object(will.body).sid) : ''
      const { clientId = '', username = '', clean = false, keepalive = 0 } = packet
      this.connects.push({ clientId, username: String(username), clean, keepalive, sid: this.#sid })
      done(null, true)
    }
    broker.authenticate = (_client, username, password, done) => {
      const login = Buffer.from(password?.toString() ?? '', 'base64url')
      if (username === serial && login.equals(this.#keys.login)) done(null, true)
      else done(Object.assign(new Error('refused'), { returnCode: 5 }), null)
    }
    broker.authorizePublish = (_client, packet, done) => {
      if (this.#hear(packet)) done(null)
    }
    broker.on('client', (client) => this.#clients.set(client.id, client))
  }

  /** Records a message; returns false to withhold its PUBACK. */
  #hear(packet: PublishPacket): boolean {
    const { serial, storesAcks, welcome } = this.#options
    const topic = parseUpTopic(packet.topic)
    if (!topic) throw new Error(`the speaker published on ${packet.topic}`)
    const { kind } = topic
    const payload = Buffer.from(packet.payload)
    const sealed = kind !== 'will' && kind !== 'telemetry'
    const opened = sealed
      ? openFrame(this.#keys.up, upPrefix(serial, this.#sid, kind), payload)
      : parsePlain(payload)
    this.#note({ kind, qos: packet.qos, body: opened.ok ? Object(opened.body) : {}, verified: opened.ok })
    if (kind === 'birth' && welcome !== false) setImmediate(() => void this.#welcome())
    return kind !== 'ack' || (storesAcks?.() ?? true)
  }

  #welcome(): Promise<string> {
    const given = this.#options.welcome
    const settings = this.#knownSettings()
    return this.send('welcome', given || { now: this.#now(), n: this.#n, linked: false, settings })
  }

  /** The version of the last report; it knows factory settings without one. */
  #knownSettings(): number {
    return Number(this.heard.findLast(({ kind }) => kind === 'settings')?.body.ver ?? 0)
  }

  #note(item: Heard): void {
    this.heard.push(item)
    for (const waiter of [...this.#waiting])
      if (waiter.fits(item)) {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        waiter.resolve(item)
      }
  }

  #now(): number {
    return this.#options.now?.() ?? Math.floor(Date.now() / 1000)
  }
}
