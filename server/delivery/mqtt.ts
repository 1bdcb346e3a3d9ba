import { openFrame, parsePlain, upPrefix } from '../../protocol/frame.ts'
import type { Ack } from '../../protocol/messages/ack.ts'
import { ack } from '../../protocol/messages/ack.ts'
import { birth } from '../../protocol/messages/birth.ts'
import { settingsReport } from '../../protocol/messages/settings-report.ts'
import { telemetry } from '../../protocol/messages/telemetry.ts'
import { will } from '../../protocol/messages/will.ts'
import type { UpKind } from '../../protocol/topics.ts'
import type { Logger } from '../platform/log.ts'
import type { SettingsRecords } from '../settings/ports.ts'
import type { Delivery } from './delivery.ts'
import type { Outbox } from './ports.ts'
import type { Session } from './session/session-interface.ts'

/**
 * Half of the counter's range: a device that claims more has an erased memory, unless the hub itself has numbered so
 * high. Above such a claim there would be no numbers left. (sb/1 8.1)
 */
const PLAYED_MAX = 0x7fff_ffff

export interface UpDeps {
  delivery: Delivery
  recordAck: (session: Session, ack: Ack) => Promise<void>
  settings: Pick<SettingsRecords, 'report'>
  outbox: Pick<Outbox, 'highestNumber'>
  log: Logger
}

/** A device that breaks the protocol; its connection is closed (sb/1 4.1, sb/1 4.2, sb/1 5.3, sb/1 8.1). */
export class Breach extends Error {
  override readonly name = 'Breach'
}

/**
 * Takes what a device publishes, after its topic was checked. Resolves when it is stored; throws or rejects with a
 * Breach when the device's connection must be closed.
 */
export function receiveUp(deps: UpDeps) {
  return (session: Session, upKey: Buffer, kind: UpKind, payload: Buffer): Promise<void> => {
    const verified = () => {
      const opened = openFrame(upKey, upPrefix(session.serial, session.sid, kind), payload)
      if (!opened.ok) throw new Breach(`${kind}: ${opened.reason}`)
      return opened.body
    }
    switch (kind) {
      case 'birth':
        return receiveBirth(deps, session, verified())
      case 'ack':
        return receiveAck(deps, session, verified())
      case 'settings':
        return receiveSettings(deps, session, verified())
      case 'will':
        return receiveWill(deps, session, payload)
      case 'telemetry':
        return receiveTelemetry(deps, session, payload)
    }
  }
}

async function receiveBirth({ delivery, outbox }: UpDeps, session: Session, body: unknown) {
  const parsed = birth.safeParse(body)
  if (!parsed.success) throw new Breach('birth: not of its schema')
  const { sid, played } = parsed.data
  if (sid !== session.sid) throw new Breach('birth: of another session')
  if (played > PLAYED_MAX && played > (await outbox.highestNumber(session.deviceId)))
    throw new Breach('birth: has played what was never numbered')
  await delivery.birth(session, parsed.data)
}

function receiveAck({ recordAck, log }: UpDeps, session: Session, body: unknown): Promise<void> {
  if (!session.born()) throw new Breach('ack: before the birth')
  const parsed = ack.safeParse(body)
  if (parsed.success) return recordAck(session, parsed.data)
  log.warn({ serial: session.serial }, 'an ack that is not of its schema was dropped')
  return Promise.resolve()
}

async function receiveSettings({ settings, log }: UpDeps, session: Session, body: unknown) {
  if (!session.born()) throw new Breach('settings: before the birth')
  const parsed = settingsReport.safeParse(body)
  if (!parsed.success) return log.warn({ serial: session.serial }, 'a settings report was dropped')
  const { t: _type, ...reported } = parsed.data
  await settings.report(session.deviceId, reported)
}

/**
 * A will counts only for the session that it names: the broker delivers an old one after a new connection (sb/1
 * 3.3).
 */
async function receiveWill({ delivery }: UpDeps, session: Session, payload: Buffer) {
  const opened = parsePlain(payload)
  const parsed = will.safeParse(opened.ok ? opened.body : undefined)
  if (parsed.success && parsed.data.sid === session.sid) delivery.leave(session)
}

async function receiveTelemetry({ log }: UpDeps, session: Session, payload: Buffer) {
  const opened = parsePlain(payload)
  const parsed = telemetry.safeParse(opened.ok ? opened.body : undefined)
  if (parsed.success) log.debug({ serial: session.serial, ...parsed.data }, 'telemetry')
}
