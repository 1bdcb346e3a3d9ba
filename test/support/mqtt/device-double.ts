import { downPrefix, openFrame, sealFrame, upPrefix } from '../../../protocol/frame.ts'
import { deriveKeys, parseKey } from '../../../protocol/keys.ts'
import type { AckStage, ReasonCode } from '../../../protocol/messages/ack.ts'
import {
  type AnyCommand,
  type Command,
  FINAL_STAGE,
  parseCommand,
} from '../../../protocol/messages/command.ts'
import type { Settings } from '../../../protocol/messages/settings.ts'
import type { UpKind } from '../../../protocol/topics.ts'
import type { Delivery } from '../../../server/delivery/delivery.ts'
import { receiveUp, type UpDeps } from '../../../server/delivery/mqtt.ts'
import type { Session } from '../../../server/delivery/session/session-interface.ts'
import { settle } from '../clock.ts'

/** How the device acks: up to the final stage, `received` only, never, or as if its display were broken. */
export type Obedience = 'final' | 'received' | 'silent' | 'display_failed'

/** A device on the hub's real delivery without a broker. Its frames are sealed and verified as on the wire. */
export interface DeviceDouble {
  readonly serial: string
  /** Every command, oldest first. */
  readonly heard: AnyCommand[]
  obeys: Obedience
  /** Connects and sends its birth. Resolves after its welcome and its screen. */
  connect(): Promise<void>
  /** Ends its connection. */
  leave(): void
  /** The code on its screen. Throws when no code was shown yet. */
  code(): string
  /** Sends one ack. */
  ack(command: { id: string; n: number }, st: AckStage, rc?: ReasonCode): Promise<void>
  /** Reports its settings. */
  report(settings: Settings): Promise<void>
}

/** So long that the device never counts as silent: a test may wind hours. */
const KEEPALIVE_MS = 24 * 60 * 60_000

export function createDeviceDouble(
  { serial, deviceId, key }: { serial: string; deviceId: string; key: string },
  /** Returns the present hub: a test may restart it. */
  hub: () => { delivery: Delivery; up: UpDeps },
): DeviceDouble {
  const keys = deriveKeys(parseKey(key) ?? Buffer.alloc(0))
  const heard: AnyCommand[] = []
  let session: Session | undefined
  let connects = 0

  const sid = () => connects.toString(16).padStart(16, '0')

  async function say(kind: UpKind, body: object) {
    if (!session) throw new Error(`${serial} is not connected`)
    const frame = sealFrame(keys.up, upPrefix(serial, sid(), kind), body)
    await receiveUp(hub().up)(session, keys.up, kind, frame)
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
        // Its acks after it has left reach nobody.
        if (session) throw error
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
      session = hub().delivery.open({ deviceId, serial, sid: sid(), downKey: keys.down }, KEEPALIVE_MS, link)
      const played = Math.max(0, ...heard.filter(isAnnounce).map((command) => command.n))
      const birth = { t: 'birth', sid: sid(), fw: '1.0', model: 'double', caps: [], lang: ['vi'], rx: 2048 }
      await say('birth', { ...birth, played })
      await settle()
    },
    leave() {
      if (session) hub().delivery.leave(session)
      session = undefined
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
