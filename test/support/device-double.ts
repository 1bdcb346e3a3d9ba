import { downPrefix, openFrame, sealFrame, upPrefix } from '../../protocol/frame.ts'
import { deriveKeys, parseKey } from '../../protocol/keys.ts'
import type { AckStage, ReasonCode } from '../../protocol/messages/ack.ts'
import { type AnyCommand, type Command, FINAL_STAGE, parseCommand } from '../../protocol/messages/command.ts'
import type { Settings } from '../../protocol/messages/settings.ts'
import { type UpKind, upTopic } from '../../protocol/topics.ts'
import type { Delivery } from '../../server/delivery/delivery.ts'
import type { Codec } from '../../server/delivery/dialect.ts'
import type { Session } from '../../server/delivery/session/ports.ts'
import { sb1 } from '../../server/dialects/sb1/index.ts'
import { settle } from './clock.ts'

/** How the device answers: all the way, only that it has received, not at all, or with a broken display. */
export type Obedience = 'final' | 'received' | 'silent' | 'display_failed'

/** A device at the end of the real delivery, without a broker between: its frames are sealed and opened. */
export interface DeviceDouble {
  readonly serial: string
  /** Every command, oldest first. */
  readonly heard: AnyCommand[]
  obeys: Obedience
  /** Connects and is born; resolves when its welcome and its screen have come. */
  connect(): Promise<void>
  /** Its connection ends. */
  leave(): void
  /** The code on its screen; throws when none was ever shown. */
  code(): string
  /** Reports a stage of a command by itself. */
  ack(command: { id: string; n: number }, st: AckStage, rc?: ReasonCode): Promise<void>
  /** Says which settings it uses. */
  report(settings: Settings): Promise<void>
}

/** A device that never counts as silent, so that a test may wind hours. */
const KEEPALIVE_MS = 24 * 60 * 60_000

export function createDeviceDouble(
  { serial, deviceId, key }: { serial: string; deviceId: string; key: string },
  /** The hub that it talks to; asked each time, because a hub may be started anew. */
  hub: () => { delivery: Delivery },
): DeviceDouble {
  const deviceKey = parseKey(key) ?? Buffer.alloc(0)
  const keys = deriveKeys(deviceKey)
  const heard: AnyCommand[] = []
  let connection: { session: Session; codec: Codec } | undefined
  let connects = 0

  const sid = () => connects.toString(16).padStart(16, '0')

  async function say(kind: UpKind, body: object) {
    if (!connection) throw new Error(`${serial} is not connected`)
    const { session, codec } = connection
    const payload = sealFrame(keys.up, upPrefix(serial, sid(), kind), body)
    const heard = codec.read({ topic: upTopic(serial, kind), qos: 1, retain: false, payload })
    await hub().delivery.receive(session, heard)
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
      const link = { publish: async (payload: Buffer) => hear(payload), close: () => double.leave() }
      const identity = { deviceId, serial, sessionId: sid() }
      const codec = sb1.codec(identity, deviceKey)
      const session = hub().delivery.open(identity, KEEPALIVE_MS, { writer: codec, link })
      connection = { session, codec }
      const played = Math.max(0, ...heard.filter(isAnnounce).map((command) => command.n))
      const birth = { t: 'birth', sid: sid(), fw: '1.0', model: 'double', caps: [], lang: ['vi'], rx: 2048 }
      await say('birth', { ...birth, played })
      await settle()
    },
    leave() {
      if (connection) hub().delivery.leave(connection.session)
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
