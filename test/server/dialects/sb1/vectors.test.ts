import { describe, expect, it } from 'vitest'
import { parseKey } from '../../../../protocol/keys.ts'
import { ack } from '../../../../protocol/messages/ack.ts'
import { birth } from '../../../../protocol/messages/birth.ts'
import { settingsReport } from '../../../../protocol/messages/settings-report.ts'
import { UP_QOS, upTopic } from '../../../../protocol/topics.ts'
import type { Heard } from '../../../../server/delivery/dialect.ts'
import { sb1 } from '../../../../server/dialects/sb1/index.ts'
import { acceptanceVectors, frameVectors } from '../../../protocol/vectors.ts'

/** Every frame that a device of acceptance.json sends, once. */
const sent = [
  ...new Map(
    acceptanceVectors.cases.flatMap(({ before, sends }) =>
      sends.map((send) => [`${before.serial} ${before.sid} ${send.frame}`, { ...before, ...send }] as const),
    ),
  ).values(),
]
type Kind = (typeof sent)[number]['kind']

/** How the hub reads a frame that comes on the topic of a kind. */
function read(one: { serial: string; sid: string; key: string; frame: string }, kind: Kind): Heard {
  const { serial, sid: sessionId, key, frame } = one
  const codec = sb1.codec({ serial, sessionId }, parseKey(key) ?? Buffer.alloc(0))
  return codec.read({
    ...{ topic: upTopic(serial, kind), qos: UP_QOS[kind], retain: false },
    payload: Buffer.from(frame),
  })
}

/** What the hub must understand by the fields of a message. */
function meaningOf(kind: Kind, fields: object): Heard {
  switch (kind) {
    case 'birth': {
      const { fw: firmware, model, lang, rx: bufferBytes, played, settings } = birth.parse(fields)
      const languages = lang.filter((code) => code === 'vi' || code === 'en')
      return {
        kind: 'born',
        born: { firmware, model, languages, bufferBytes, played, settingsVersion: settings, caps: [] },
      }
    }
    case 'ack': {
      const { id: commandId, n: commandNumber, st: stage, rc: reason } = ack.parse(fields)
      return { kind: 'reached', ack: { commandId, commandNumber, stage, reason } }
    }
    case 'settings': {
      const { t: _type, ...settings } = settingsReport.parse(fields)
      return { kind: 'settings', settings }
    }
  }
}

describe('what devices send, as the hub reads it', () => {
  it.each(sent)('sb/1 5.2, sb/1 9.1: $frame', (one) => {
    expect(read(one, one.kind)).toEqual(meaningOf(one.kind, one.fields))
  })

  it.each(sent)('sb/1 5.2: $frame is nothing under another kind, session or serial', (one) => {
    const other = one.kind === 'ack' ? 'settings' : 'ack'
    expect(() => read(one, other)).toThrow('bad_mac')
    expect(() => read({ ...one, sid: '0000000000000000' }, one.kind)).toThrow('bad_mac')
    expect(() => read({ ...one, serial: `${one.serial}0` }, one.kind)).toThrow('bad_mac')
  })

  it.each(frameVectors.refused.filter(({ direction }) => direction === 'up'))(
    'sb/1 5.3: is refused as an ack: $why',
    (one) => {
      const key = frameVectors.keys.find(({ serial }) => serial === one.serial)?.key ?? ''
      expect(() => read({ ...one, key }, 'ack')).toThrow(/^ack: /)
    },
  )
})
