import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import type { AckStage, ReasonCode } from '../../../protocol/messages/ack.ts'
import {
  type AnyCommand,
  type Command,
  FINAL_STAGE,
  parseCommand,
} from '../../../protocol/messages/command.ts'
import type { Settings } from '../../../protocol/messages/settings.ts'
import { downTopic, UP_QOS, type UpKind, upTopic } from '../../../protocol/topics.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import type { Gate } from '../../../server/mqtt/gate.ts'
import { settle } from '../clock.ts'
import { keysOf, type Minted } from './mqtt-device.ts'
import { readPackets } from './packets.ts'
import { connectPacket } from './raw-mqtt.ts'

/** How the device acks: up to the final stage, `received` only, never, or as if its display were broken. */
export type Obedience = 'final' | 'received' | 'silent' | 'display_failed'

/** A device at the real gate, without a socket between: its frames are sealed and opened. */
export interface DeviceDouble {
  readonly serial: string
  /** Every command, oldest first. */
  readonly heard: AnyCommand[]
  obeys: Obedience
  /** Connects and sends its birth. Resolves after its welcome and its screen. */
  connect(): Promise<void>
  /** Shows that it is still there. */
  ping(): void
  /** Its connection ends. */
  leave(): void
  /** The code on its screen. Throws when no code was shown yet. */
  code(): string
  /** Sends one ack. */
  ack(command: { id: string; n: number }, st: AckStage, rc?: ReasonCode): Promise<void>
  /** Reports its settings. */
  report(settings: Settings): Promise<void>
}

export function createDeviceDouble(
  minted: Minted,
  /** The gate of the running hub; asked at each connect, because a test may restart the hub. */
  gate: () => Gate,
): DeviceDouble {
  const { serial } = minted
  const keys = keysOf(minted)
  const heard: AnyCommand[] = []
  let connection: Connection | undefined
  let connects = 0
  let published = 0

  const sid = () => connects.toString(16).padStart(16, '0')

  async function say(kind: UpKind, body: object) {
    if (!connection) throw new Error(`${serial} is not connected`)
    const payload = sealFrame(keys.up, upPrefix(serial, sid(), kind), body)
    published += 1
    const messageId = UP_QOS[kind] === 1 && { messageId: published }
    const packet = { topic: upTopic(serial, kind), qos: UP_QOS[kind], retain: false, payload, ...messageId }
    if (!(await connection.publish(packet))) throw new Error(`the hub refuses the ${kind} of ${serial}`)
  }

  async function obey(command: AnyCommand) {
    const { id, n, t } = command
    if (double.obeys === 'silent') return
    if (double.obeys === 'display_failed' && FINAL_STAGE[t] === 'shown')
      return double.ack({ id, n }, 'failed', 'display_failed')
    await double.ack({ id, n }, 'received')
    if (double.obeys !== 'received' && FINAL_STAGE[t] !== 'received')
      await double.ack({ id, n }, FINAL_STAGE[t])
  }

  function hear(payload: Buffer) {
    const opened = openFrame(keys.down, downPrefix(serial, sid()), payload)
    const parsed = opened.ok ? parseCommand(opened.body) : undefined
    if (parsed?.kind !== 'command') throw new Error(`${serial} was sent ${payload.toString()}`)
    heard.push(parsed.command)
    setImmediate(() =>
      obey(parsed.command).catch((error: unknown) => {
        // What it does after it has left reaches nobody.
        if (connection) throw error
      }),
    )
  }

  const double: DeviceDouble = {
    serial,
    heard,
    obeys: 'final',
    async connect() {
      connects += 1
      const answer = await gate().connect(connectPacket(minted, sid()), {
        write(packets) {
          for (const packet of readPackets(packets)) if (packet.cmd === 'publish') hear(packet.payload)
          return true
        },
        whenDrained: () => undefined,
        expect: () => undefined,
        address: '127.0.0.1',
        close: () => double.leave(),
        reset: () => double.leave(),
      })
      if ('why' in answer) throw new Error(`${serial} may not connect: ${answer.why}`)
      connection = answer
      connection.subscribe({ topic: downTopic(serial), qos: 1 })
      const played = Math.max(0, ...heard.filter(isAnnounce).map((command) => command.n))
      const birth = { t: 'birth', sid: sid(), fw: '1.0', model: 'double', caps: [], lang: ['vi'], rx: 2048 }
      await say('birth', { ...birth, played })
      await settle()
    },
    ping: () => connection?.ping(),
    leave() {
      connection?.closed()
      connection = undefined
    },
    code() {
      const last = heard.findLast((command): command is Command<'code'> => command.t === 'code')
      if (!last) throw new Error(`${serial} has shown no code`)
      return last.d.code
    },
    report: (settings) => say('settings', { t: 'settings', ...settings }),
    ack: ({ id, n }, st, rc) => say('ack', { t: 'ack', id, n, st, ...(rc && { rc }) }),
  }
  return double
}

function isAnnounce(command: AnyCommand): boolean {
  return command.t === 'announce'
}
