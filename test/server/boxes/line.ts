import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Gate } from '../../../server/mqtt/gate.ts'
import type { Wire } from '../../../server/mqtt/link.ts'
import type { Login } from '../../../simulator/boxes/core/firmware.ts'
import type { VirtualClock } from '../../support/clock.ts'
import { type DownPacket, readPackets } from '../../support/mqtt/packets.ts'

/** A hub as a box reaches it. */
export interface Reachable {
  gate: Pick<Gate, 'connectBox'>
  /** It was killed: nothing passes any more. */
  isDead(): boolean
}

/** What happened to the line and to the box, in order: each fault leaves one, so that a test knows that it came. */
export type Witness =
  | 'message lost'
  | 'puback lost'
  | 'hub killed'
  | 'power lost'
  | 'stalled'
  | 'late bytes'
  | 'bytes discarded'
  | 'reset'
  | 'closed'
  | 'stray answer'

interface Ends {
  down(packet: DownPacket): void
  ended(how: 'reset' | 'closed'): void
  note(witness: Witness): void
}

type Up = { topic: string; payload: string; qos: 0 | 1 | 2; retain?: boolean }

/** One connection. */
export class Line {
  isLost = false
  #isStalled = false
  #isHeld = false
  readonly #hub: Reachable
  readonly #clock: VirtualClock
  readonly #login: Login
  readonly #ends: Ends
  #connection: Connection | undefined
  #toBox: Buffer[] = []
  #toHub: ((connection: Connection) => void)[] = []
  #messageId = 0
  #hasEnded = false
  #stopPing = () => {}
  #stopKeepalive = () => {}

  constructor(hub: Reachable, clock: VirtualClock, login: Login, ends: Ends) {
    this.#hub = hub
    this.#clock = clock
    this.#login = login
    this.#ends = ends
  }

  async connect(): Promise<number | undefined> {
    const { clientId, username, password, clean, keepaliveS: keepalive, will } = this.#login
    const packet: Parameters<Gate['connectBox']>[0] = {
      ...{ protocolVersion: 4, clientId, username, clean, keepalive, will },
      password: Buffer.from(password),
    }
    const answer = await this.#hub.gate.connectBox(packet, this.#wire())
    if ('why' in answer) {
      this.#hasEnded = true
      return answer.returnCode
    }
    this.#connection = answer
    this.#watch()
    this.#pingLater()
    return undefined
  }

  subscribe(topic: string, qos: 0 | 1) {
    this.#say((connection) => void connection.subscribe({ topic, qos }))
  }

  up({ topic, payload, qos, retain = false }: Up) {
    this.#messageId += 1
    const packet = { topic, payload, qos, retain, messageId: this.#messageId }
    this.#say((connection) => void connection.publish(packet))
  }

  /** The PUBACK leaves before what is held. */
  confirm(messageId: number) {
    if (this.isLost || this.#hub.isDead()) return
    if (this.#isStalled) this.#toHub.unshift((connection) => connection.confirmed(messageId))
    else if (!this.#hasEnded) this.#connection?.confirmed(messageId)
  }

  /** What the box says waits. */
  hold() {
    this.#isHeld = true
  }

  release() {
    this.#isHeld = false
    this.#flush()
  }

  /** Whatever is under way, and all that comes, is lost. Nobody is told. */
  lose() {
    this.isLost = true
    this.#stopPing()
    this.#toBox = []
    this.#toHub = []
  }

  stall(on: boolean) {
    this.#isStalled = on
    if (on) return
    if (this.#toBox.length > 0) this.#ends.note('late bytes')
    for (const bytes of this.#toBox.splice(0)) this.#deliver(bytes)
    this.#flush()
    if (this.#hasEnded) this.#tellBox('closed')
  }

  #say(what: (connection: Connection) => void) {
    if (this.isLost || this.#hub.isDead()) return
    this.#toHub.push(what)
    this.#flush()
  }

  #flush() {
    const connection = this.#connection
    if (this.#isStalled || this.#isHeld || !connection || this.#hasEnded) return
    this.#watch()
    for (const what of this.#toHub.splice(0)) what(connection)
  }

  /** The broker closes a connection that is silent for one and a half keepalives (MQTT 3.1.1, 3.1.2.10). */
  #watch() {
    this.#stopKeepalive()
    this.#stopKeepalive = this.#clock.after(1_500 * this.#login.keepaliveS, () => this.#end('reset'))
  }

  #pingLater() {
    this.#stopPing = this.#clock.after(500 * this.#login.keepaliveS, () => {
      this.#say((connection) => connection.ping())
      this.#pingLater()
    })
  }

  #wire(): Wire {
    return {
      address: '127.0.0.1',
      write: (bytes) => {
        if (this.isLost || this.#hub.isDead() || this.#hasEnded) return true
        if (this.#isStalled) this.#toBox.push(Buffer.from(bytes))
        else this.#deliver(bytes)
        return true
      },
      whenDrained: () => undefined,
      expect: () => undefined,
      close: () => this.#end('closed'),
      reset: () => this.#end('reset'),
    }
  }

  #deliver(bytes: Buffer) {
    for (const packet of readPackets(bytes)) if (!this.isLost) this.#ends.down(packet)
  }

  #end(how: 'reset' | 'closed') {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#stopKeepalive()
    this.#stopPing()
    if (how === 'reset' && this.#toBox.splice(0).length > 0) this.#ends.note('bytes discarded')
    this.#connection?.closed()
    if (!this.#isStalled) this.#tellBox(how)
    else if (how === 'reset') this.#ends.note('reset')
  }

  #tellBox(how: 'reset' | 'closed') {
    if (!this.isLost && !this.#hub.isDead()) this.#ends.ended(how)
  }
}
