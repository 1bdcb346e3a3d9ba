import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { downTopic, parseUpTopic, SERIAL_PATTERN, type UpKind, upTopic } from '../../protocol/topics.ts'

const KINDS: UpKind[] = ['birth', 'will', 'ack', 'telemetry', 'settings']
const serial = fc.stringMatching(SERIAL_PATTERN)

describe('topics', () => {
  it('parses every up topic that it writes', () => {
    fc.assert(
      fc.property(serial, fc.constantFrom(...KINDS), (serial, kind) => {
        expect(parseUpTopic(upTopic(serial, kind))).toEqual({ serial, kind })
      }),
    )
  })

  it('does not parse a down topic as an up topic', () => {
    fc.assert(fc.property(serial, (serial) => parseUpTopic(downTopic(serial)) === undefined))
  })

  // topics.json has more of them.
  it.each([
    ['a wildcard for the serial', 'sb/1/+/up/ack'],
    ['a wildcard for the kind', 'sb/1/SPK-1/up/+'],
    ['a wildcard for the rest', 'sb/1/SPK-1/up/#'],
    ['a wildcard for all', '#'],
    ['a wildcard inside the serial', 'sb/1/SPK+1/up/ack'],
    ['an unknown kind', 'sb/1/SPK-1/up/photo'],
    ['a kind in another case', 'sb/1/SPK-1/up/ACK'],
    ['another root', 'SB/1/SPK-1/up/ack'],
    ['a trailing slash', 'sb/1/SPK-1/up/ack/'],
    ['a level too many', 'sb/1/SPK-1/x/up/ack'],
    ['an empty serial', 'sb/1//up/ack'],
    ['a serial of 3 characters', 'sb/1/abc/up/ack'],
    ['a serial of 33 characters', `sb/1/${'a'.repeat(33)}/up/ack`],
    ['a letter outside ASCII', 'sb/1/SPK-đ/up/ack'],
    ['a line feed at the end', 'sb/1/SPK-1/up/ack\n'],
    ['nothing', ''],
  ])('refuses %s', (_, topic) => {
    expect(parseUpTopic(topic)).toBeUndefined()
  })
})
