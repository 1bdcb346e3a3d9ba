import { describe, expect, it } from 'vitest'
import { openFrame, upPrefix } from '../../../../protocol/frame.ts'
import { deriveKeys, parseKey } from '../../../../protocol/keys.ts'
import { ack } from '../../../../protocol/messages/ack.ts'
import { birth } from '../../../../protocol/messages/birth.ts'
import { settingsReport } from '../../../../protocol/messages/settings-report.ts'
import { acceptanceVectors, frameVectors } from '../../../protocol/vectors.ts'

const MESSAGES = { ack, birth, settings: settingsReport } as const

/** Every frame that a device of acceptance.json sends, once. */
const sent = [
  ...new Map(
    acceptanceVectors.cases.flatMap(({ before, sends }) =>
      sends.map((send) => [`${before.serial} ${before.sid} ${send.frame}`, { ...before, ...send }] as const),
    ),
  ).values(),
]

const upKeyOf = (key: string) => deriveKeys(parseKey(key) ?? Buffer.alloc(0)).up

describe('what devices send, as the hub reads it', () => {
  it.each(sent)('sb/1 5.2, sb/1 9.1: $frame', ({ serial, sid, key, kind, fields, frame }) => {
    const opened = openFrame(upKeyOf(key), upPrefix(serial, sid, kind), Buffer.from(frame))
    expect(opened.ok).toBe(true)
    expect(MESSAGES[kind].parse(opened.ok ? opened.body : undefined)).toEqual(MESSAGES[kind].parse(fields))
  })

  it.each(sent)('sb/1 5.2: $frame is nothing under another kind, session or serial', (one) => {
    const { serial, sid, key, kind, frame } = one
    const other = kind === 'ack' ? 'settings' : 'ack'
    for (const prefix of [
      upPrefix(serial, sid, other),
      upPrefix(serial, '0000000000000000', kind),
      upPrefix(`${serial}0`, sid, kind),
    ])
      expect(openFrame(upKeyOf(key), prefix, Buffer.from(frame))).toEqual({ ok: false, reason: 'bad_mac' })
  })

  it.each(frameVectors.refused.filter(({ direction }) => direction === 'up'))(
    'sb/1 5.3: is refused as an ack: $why',
    ({ serial, sid, frame }) => {
      const key = frameVectors.keys.find((vector) => vector.serial === serial)?.key ?? ''
      expect(openFrame(upKeyOf(key), upPrefix(serial, sid, 'ack'), Buffer.from(frame)).ok).toBe(false)
    },
  )
})
