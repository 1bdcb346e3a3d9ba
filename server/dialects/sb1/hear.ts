import type { z } from 'zod'
import { bytesOf } from '#platform'
import { openFrame, parsePlain, upPrefix } from '../../../protocol/frame.ts'
import { ack as ackSchema } from '../../../protocol/messages/ack.ts'
import { birth as birthSchema } from '../../../protocol/messages/birth.ts'
import { settingsReport } from '../../../protocol/messages/settings-report.ts'
import { telemetry } from '../../../protocol/messages/telemetry.ts'
import { will } from '../../../protocol/messages/will.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { parseUpTopic, UP_QOS, type UpKind } from '../../../protocol/topics.ts'
import { Breach, type Heard, type PublishedPacket } from '../../delivery/dialect.ts'
import { MAINTENANCE_CAPS } from '../../devices/maintenance.ts'

/** Whose messages are read. */
export interface Sender {
  serial: string
  sessionId: string
  upKey: Uint8Array
}

/** Reads one message (sb/1 4.1, sb/1 5.3). */
export function hear(sender: Sender, packet: PublishedPacket): Heard {
  const kind = checkPublish(sender.serial, packet)
  const payload = typeof packet.payload === 'string' ? bytesOf(packet.payload) : packet.payload
  switch (kind) {
    case 'birth':
      return hearBirth(sender, verified(sender, kind, payload))
    case 'ack':
      return read(
        ackSchema,
        verified(sender, kind, payload),
        'an ack',
        ({ id, n, st: stage, rc: reason }) => ({
          kind: 'reached',
          ack: { commandId: id, commandNumber: n, stage, reason },
        }),
      )
    case 'settings':
      return read(settingsReport, verified(sender, kind, payload), 'a settings report', (settings) => {
        const { ver, volume, lang } = settings
        return { kind: 'settings', settings: { ver, volume, lang } }
      })
    case 'will':
      // It counts only for the session that it names: the will of an older session may come late (sb/1 3.3).
      return read(will, plain(payload), 'a will', ({ sid }) => ({
        kind: sid === sender.sessionId ? 'gone' : 'ignored',
      }))
    case 'telemetry':
      return read(telemetry, plain(payload), 'telemetry', ({ update, health: runtime, ...readings }) => ({
        kind: 'telemetry',
        readings,
        update,
        runtime,
      }))
  }
}

/** Checks where and how a device publishes (sb/1 4.1). Returns the kind of its message. */
export function checkPublish(
  serial: string,
  { topic, qos, retain }: Omit<PublishedPacket, 'payload'>,
): UpKind {
  const parsed = parseUpTopic(topic)
  if (!parsed || parsed.serial !== serial) throw new Breach('publish: not its own up topic')
  const { kind } = parsed
  if (retain) throw new Breach('publish: retained')
  // The device chooses the QoS of its will in its CONNECT, and that of its goodbye.
  const isQosRight = kind === 'will' ? qos < 2 : qos === UP_QOS[kind]
  if (!isQosRight) throw new Breach(`publish: ${kind} at QoS ${qos}`)
  return kind
}

function verified({ serial, sessionId, upKey }: Sender, kind: UpKind, payload: Uint8Array): unknown {
  const opened = openFrame(upKey, upPrefix(serial, sessionId, kind), payload)
  if (!opened.ok) throw new Breach(`${kind}: ${opened.reason}`)
  return opened.body
}

function plain(payload: Uint8Array): unknown {
  const opened = parsePlain(payload)
  return opened.ok ? opened.body : undefined
}

/** A body that does not match its schema is ignored. Only a birth closes the connection. */
function read<T>(schema: z.ZodType<T>, body: unknown, name: string, toHeard: (message: T) => Heard): Heard {
  const parsed = schema.safeParse(body)
  return parsed.success ? toHeard(parsed.data) : { kind: 'ignored', why: `${name} does not match its schema` }
}

function hearBirth({ sessionId }: Sender, body: unknown): Heard {
  const parsed = birthSchema.safeParse(body)
  if (!parsed.success) throw new Breach('birth: not of its schema')
  const { sid, fw: firmware, model, lang, rx: bufferBytes, played, settings: settingsVersion } = parsed.data
  const caps = MAINTENANCE_CAPS.filter((cap) => parsed.data.caps.includes(cap))
  if (sid !== sessionId) throw new Breach('birth: of another session')
  // Unknown languages are ignored.
  const languages = lang.flatMap((code) => LANGUAGES.find((known) => known === code) ?? [])
  return { kind: 'born', born: { firmware, model, languages, bufferBytes, played, settingsVersion, caps } }
}
