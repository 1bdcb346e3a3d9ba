import { openFrame, parsePlain, upPrefix } from '../../../protocol/frame.ts'
import { ack as ackSchema } from '../../../protocol/messages/ack.ts'
import { birth as birthSchema } from '../../../protocol/messages/birth.ts'
import { settingsReport } from '../../../protocol/messages/settings-report.ts'
import { telemetry } from '../../../protocol/messages/telemetry.ts'
import { will } from '../../../protocol/messages/will.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import type { UpKind } from '../../../protocol/topics.ts'
import { Breach, type Heard } from '../../delivery/dialect.ts'

/** Whose messages are read. */
export interface Sender {
  serial: string
  sessionId: string
  upKey: Buffer
}

/** Reads one message, of which the topic was checked (sb/1 4.1, sb/1 5.3). */
export function hear(sender: Sender, kind: UpKind, payload: Buffer): Heard {
  switch (kind) {
    case 'birth':
      return hearBirth(sender, verified(sender, kind, payload))
    case 'ack':
      return hearAck(verified(sender, kind, payload))
    case 'settings':
      return hearSettings(verified(sender, kind, payload))
    case 'will':
      return hearWill(sender, plain(payload))
    case 'telemetry':
      return hearTelemetry(plain(payload))
  }
}

function verified({ serial, sessionId, upKey }: Sender, kind: UpKind, payload: Buffer): unknown {
  const opened = openFrame(upKey, upPrefix(serial, sessionId, kind), payload)
  if (!opened.ok) throw new Breach(`${kind}: ${opened.reason}`)
  return opened.body
}

function plain(payload: Buffer): unknown {
  const opened = parsePlain(payload)
  return opened.ok ? opened.body : undefined
}

function hearBirth({ sessionId }: Sender, body: unknown): Heard {
  const parsed = birthSchema.safeParse(body)
  if (!parsed.success) throw new Breach('birth: not of its schema')
  const { sid, fw: firmware, model, lang, rx: bufferBytes, played, settings } = parsed.data
  if (sid !== sessionId) throw new Breach('birth: of another session')
  // Unknown languages are ignored.
  const languages = lang.flatMap((code) => LANGUAGES.find((known) => known === code) ?? [])
  return {
    kind: 'born',
    born: { firmware, model, languages, bufferBytes, played, settingsVersion: settings },
  }
}

function hearAck(body: unknown): Heard {
  const parsed = ackSchema.safeParse(body)
  if (!parsed.success) return { kind: 'ignored', why: 'an ack does not match its schema' }
  const { id: commandId, n: commandNumber, st: stage, rc: reason } = parsed.data
  return { kind: 'reached', ack: { commandId, commandNumber, stage, reason } }
}

function hearSettings(body: unknown): Heard {
  const parsed = settingsReport.safeParse(body)
  if (!parsed.success) return { kind: 'ignored', why: 'a settings report does not match its schema' }
  const { ver, volume, lang } = parsed.data
  return { kind: 'settings', settings: { ver, volume, lang } }
}

/** A will counts only for the session that it names: the will of an older session may come late (sb/1 3.3). */
function hearWill({ sessionId }: Sender, body: unknown): Heard {
  const parsed = will.safeParse(body)
  if (!parsed.success) return { kind: 'ignored', why: 'a will does not match its schema' }
  return parsed.data.sid === sessionId ? { kind: 'gone' } : { kind: 'ignored' }
}

function hearTelemetry(body: unknown): Heard {
  const parsed = telemetry.safeParse(body)
  if (!parsed.success) return { kind: 'ignored', why: 'telemetry does not match its schema' }
  return { kind: 'telemetry', readings: parsed.data }
}
