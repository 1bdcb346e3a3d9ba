import type { Duplex } from 'node:stream'
import type { IConnectPacket, IPublishPacket, Packet } from 'mqtt-packet'
import { toUnixSeconds } from '../../messages/fields.ts'
import type { Language } from '../../money/language.ts'
import { downTopic } from '../../topics.ts'
import type { Identity } from '../likely/identity.ts'
import { MacDetective, type MacGuess } from '../likely/mac/mac.ts'
import type { Clock } from '../wire/clock.ts'
import { Link } from '../wire/link.ts'
import { readPacket } from '../wire/packet.ts'
import { type Facts, Transcript } from '../wire/transcript.ts'
import { withCommand } from './answered.ts'
import { answerTo } from './broker.ts'
import { CommandRegistry, type CommandSpec, type SentCommand } from './commands.ts'
import { type Faults, isPubackWithheld, NO_FAULTS, settingsIn } from './faults.ts'
import { FirstWaits } from './first-waits.ts'
import { DeviceKeyring } from './keys.ts'
import {
  malformed,
  type Reading,
  readConnect,
  readOther,
  readPublish,
  readSubscribe,
  withoutPassword,
} from './read.ts'
import { type Delivery, Sender } from './sender.ts'
import {
  dialectsOf,
  openSession,
  readBirth,
  type Session,
  takeOffer,
  takePacketId,
  withTelemetry,
} from './session.ts'
import { Trips } from './trips.ts'

export interface StandInOptions {
  identity: Identity
  clock: Clock
  /** The language of sample sentences. */
  lang: () => Language
}

/** Fifty times the size of a usual run. Bounds the memory when a device sends without end. */
const MAX_ENTRIES = 100_000

/**
 * A stand-in for the hub that serves one device. It accepts every connection, answers as a hub does unless a fault is
 * set, and records every packet. Where a hub would close the connection, it continues, so that one mistake of the
 * device is one failure. It is not a broker: one device, no queue, no resends.
 */
export class StandIn {
  readonly transcript: Transcript
  readonly trips: Trips
  readonly commands = new CommandRegistry()
  readonly identity: Identity
  /** The latest connection that has sent a CONNECT. */
  session: Session | undefined
  readonly #clock: Clock
  readonly #lang: () => Language
  readonly #sender: Sender
  readonly #detective: MacDetective
  readonly #links = new Set<Link>()
  readonly #sessions = new WeakMap<Link, Session>()
  readonly #sids: string[] = []
  readonly #keyring: DeviceKeyring
  #faults: Faults = NO_FAULTS
  #connections = 0
  #sendWithheld = () => {}
  readonly #waits: FirstWaits

  constructor({ identity, clock, lang }: StandInOptions) {
    this.identity = identity
    this.#keyring = new DeviceKeyring(identity)
    this.transcript = new Transcript(clock)
    this.trips = new Trips(this.transcript)
    this.#clock = clock
    this.#waits = new FirstWaits(clock)
    this.#lang = lang
    this.#detective = new MacDetective(identity)
    this.#sender = new Sender(downTopic(identity.serial), this.transcript)
  }

  /** The session, if its welcome is acked and its connection is open. */
  get open(): Session | undefined {
    return this.session?.welcomed && this.session.link.isOpen ? this.session : undefined
  }

  /** The language of sample sentences. */
  get lang(): Language {
    return this.#lang()
  }

  /** Unix seconds of the stand-in's clock. */
  get now(): number {
    return toUnixSeconds(this.#clock.now()) - this.#faults.clockBehindS
  }

  serve(line: Duplex): void {
    this.#waits.end()
    if (this.#isFlooded) line.destroy()
    else if (this.#faults.turnAway) this.#turnAway(line)
    else this.#take(line)
  }

  /** Changes the faults. Sends a withheld SUBACK when it is no longer withheld. */
  setFaults(changes: Partial<Faults>): void {
    this.#faults = { ...this.#faults, ...changes }
    if (this.#faults.withholdSuback) return
    this.#sendWithheld()
    this.#sendWithheld = () => {}
  }

  /** Behaves like a hub again. */
  clearFaults(): void {
    this.setFaults(NO_FAULTS)
  }

  /** Builds a command for the current session without sending it. */
  write(spec: CommandSpec): SentCommand {
    return this.commands.create(spec, this.#sealContext())
  }

  /** Rebuilds a sent command for a resend: the same id and n. */
  rewrite(command: SentCommand, changes: Pick<CommandSpec, 'agoS' | 'ttlS'> = {}): void {
    this.commands.rewrite(command, changes, this.#sealContext())
  }

  /** Sends a frame unchanged. */
  async send(frame: Buffer, delivery: Delivery = 'whole'): Promise<void> {
    if (this.session) await this.#sender.deliver(this.session.link, frame, delivery)
  }

  /** Breaks the connection without a DISCONNECT. */
  cut(): void {
    for (const link of this.#links) link.cut()
  }

  /** Keeps the connection open but no longer reads or answers. */
  goSilent(): void {
    for (const link of this.#links) link.silent = true
  }

  get #isFlooded(): boolean {
    return this.transcript.end >= MAX_ENTRIES
  }

  #turnAway(line: Duplex): void {
    this.transcript.add({ link: this.#connections, direction: 'line', kind: 'turned-away' })
    line.on('error', () => undefined)
    line.destroy()
  }

  #take(line: Duplex): void {
    this.#connections += 1
    const link = new Link(this.#connections, line, this.#clock)
    this.#links.add(link)
    this.#note(link, 'opened')
    link.listen({
      packet: (bytes) => this.#receive(link, bytes),
      broken: (reason, bytes, hint) => this.#seen(link, bytes, malformed(reason, hint)),
      closed: (by) => {
        this.#links.delete(link)
        if (by === 'kit' && this.session?.link === link && this.session.welcomed) this.#waits.begin()
        this.#note(link, 'closed', { by })
      },
    })
  }

  #receive(link: Link, bytes: Buffer): void {
    const read = readPacket(bytes)
    if (this.#isFlooded) link.cut()
    else if (!read.ok) this.#seen(link, bytes, malformed(read.reason))
    else if (read.packet.cmd === 'connect') this.#connect(link, bytes, read.packet)
    else if (read.packet.cmd === 'publish') this.#published(link, bytes, read.packet)
    else this.#plain(link, bytes, read.packet)
  }

  /** Handles a packet whose answer, if any, depends on the packet alone. */
  #plain(link: Link, bytes: Buffer, packet: Packet): void {
    const isSubscribe = packet.cmd === 'subscribe'
    const reading = isSubscribe
      ? readSubscribe(packet)
      : readOther(packet, this.#sessions.get(link), this.#sender)
    this.#seen(link, bytes, reading)
    const answer = answerTo(packet, this.#faults)
    if (!answer) return
    const session = this.#sessions.get(link)
    if (session && answer.cmd === 'suback') session.subscribed = answer.granted.includes(1)
    if (isSubscribe && this.#faults.withholdSuback) this.#sendWithheld = () => this.#answer(link, answer)
    else this.#answer(link, answer)
  }

  /**
   * Opens a session and closes the device's older connections. A broker closes newer ones, too, at the late CONNECT of a
   * connection that the device has given up; here that would fail a right device.
   */
  #connect(link: Link, bytes: Buffer, packet: IConnectPacket): void {
    const identity = this.#keyring.of(packet.password?.toString() ?? '')
    const { sid, guess, ...reading } = readConnect(identity, this.#sids, packet)
    const key = this.#keyring.nameOf(identity)
    const has = { ...reading.has, key, steady: this.#waits.areSteady }
    this.#seen(link, withoutPassword(bytes, packet), { ...reading, has })
    if (this.session?.link.isOpen && link.number < this.session.link.number) {
      link.end()
      return
    }
    this.#sids.push(sid)
    // What it has sent on them is read to its end: a new connection may overtake a goodbye.
    for (const other of this.#links) if (other.number < link.number) other.end()
    this.session = openSession(link, sid, identity, guess)
    this.#sessions.set(link, this.session)
    const { connackFor = key, withholdConnack } = this.#faults
    if (withholdConnack) return
    const connack = connackFor === key ? this.#faults.connack : 0
    this.#answer(link, { cmd: 'connack', returnCode: connack, sessionPresent: false })
    if (connack !== 0) link.end()
  }

  #published(link: Link, bytes: Buffer, packet: IPublishPacket): void {
    const session = this.#sessions.get(link)
    const { guess, ...reading } = readPublish(this.#publishContext(session), packet)
    const known = withTelemetry(session, withCommand(reading, this.commands), this.#clock.now())
    if (session) takeOffer(session, known)
    const free = session ? { packetIdFree: takePacketId(session, packet) } : {}
    this.#seen(link, bytes, { ...known, has: { ...known.has, ...free } })
    const { qos, messageId } = packet
    if (qos > 0 && messageId !== undefined && !isPubackWithheld(known, this.#faults)) {
      this.#answer(link, { cmd: qos === 1 ? 'puback' : 'pubrec', messageId })
      session?.inFlight.delete(messageId)
    }
    if (session) this.#update(session, known, guess)
  }

  #publishContext(session: Session | undefined) {
    const { sid = '', bornSid, password, subscribed = false } = session ?? {}
    const earlierSids = this.#sids.filter((other) => other !== sid)
    const now = toUnixSeconds(this.#clock.now())
    const isOldSid = this.#sids.indexOf(sid) < this.#sids.lastIndexOf(sid)
    const identity = session?.identity ?? this.identity
    return {
      ...{ identity, detective: this.#detective, now },
      ...{ sid, bornSid, isOldSid, earlierSids, password, subscribed },
    }
  }

  /** Updates the session from a message. */
  #update(session: Session, { kind, says, has }: Reading, guess: MacGuess | undefined): void {
    if (kind === 'will' && says.reason === 'bye' && says.sid === session.dialect.sid) session.saidBye = true
    if (session !== this.session) return
    if (kind === 'birth') this.#born(session, says, { isValid: has.mac === 'right', guess })
    if (kind !== 'ack' || session.welcomed || !session.welcome || has.command !== session.welcome.id) return
    session.welcomed = true
    this.#note(session.link, 'welcomed')
  }

  #born(session: Session, says: Facts, mac: Parameters<typeof dialectsOf>[1]): void {
    session.bornSid = typeof says.sid === 'string' ? says.sid : ''
    session.birth = readBirth(says)
    this.commands.startAbove(session.birth.played, session.birth.settings)
    if (this.#faults.hangUp) session.link.end()
    if (this.#faults.hangUp || this.#faults.withholdWelcome) return
    const right = session.dialect
    const d = settingsIn(session.birth, this.#faults)
    session.offers = dialectsOf(session, mac).map((dialect) => {
      session.dialect = dialect
      return { dialect, welcome: this.write({ t: 'welcome', d }) }
    })
    session.dialect = right
    session.welcome = session.offers[0]?.welcome
    for (const { welcome } of session.offers) void this.send(welcome.frame)
  }

  #sealContext() {
    const identity = this.session?.identity ?? this.identity
    const { serial } = identity
    const { keys, sid } = this.session?.dialect ?? { keys: identity.keys, sid: '' }
    const maskedKey = (id: string, which: unknown) => this.#keyring.masked(identity, id, which)
    const earlierSid = this.#sids.findLast((old) => old !== sid)
    const seal = { keys, serial, sid, earlierSid }
    return { seal, now: this.now, lang: this.#lang(), from: this.transcript.end, maskedKey }
  }

  #answer(link: Link, packet: Packet): void {
    if (!link.isOpen || link.silent) return
    const bytes = link.send(packet)
    this.transcript.add({ link: link.number, direction: 'down', kind: packet.cmd, bytes })
  }

  #seen(link: Link, bytes: Buffer, reading: Reading): void {
    const has = { parsed: true, ...reading.has, bytes: bytes.length }
    this.transcript.add({ link: link.number, direction: 'up', bytes, ...reading, has })
  }

  #note(link: Link, kind: string, has: Facts = {}): void {
    this.transcript.add({ link: link.number, direction: 'line', kind, has })
  }
}
