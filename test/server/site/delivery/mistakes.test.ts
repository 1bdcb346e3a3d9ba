import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { toEventJson } from '../../../../server/events/event.ts'
import { judge, judgeOwn } from '../../../../server/site/browser/delivery/judge.ts'
import {
  delivery,
  EVENTS,
  eventBody,
  eventId,
  isAccepted,
  key,
  mac,
  NOW,
  other,
  secret,
  secretOf,
} from './deliveries.ts'

describe('a mistake is named', () => {
  const spaced = eventBody.replace(/":/g, '": ').replace(/,"/g, ', "')
  const bodies: [what: string, body: string, names: RegExp][] = [
    ['a line break at the end', `${eventBody}\n`, /line break at its end that was not sent/],
    ['CRLF at the end', `${eventBody}\r\n`, /line break at its end that was not sent/],
    ['spaces around it', `  ${eventBody} `, /white space around it/],
    ['a byte order mark', `\uFEFF${eventBody}`, /byte order mark/],
    [
      'pretty-printed JSON',
      JSON.stringify(JSON.parse(eventBody), null, 2),
      /written anew: it is pretty-printed\..+parses/,
    ],
    [
      'pretty-printed JSON with a line break',
      `${JSON.stringify(JSON.parse(eventBody), null, '\t')}\n`,
      /pretty-printed/,
    ],
    ['JSON of Python', spaced, /json\.dumps/],
    ['JSON of PHP', eventBody.replaceAll('/', '\\/'), /json_encode/],
    [
      'JSON of Go',
      eventBody.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026'),
      /json\.Marshal/,
    ],
    [
      'JSON in ASCII',
      eventBody.replaceAll('à', '\\u00e0').replaceAll('ữ', '\\u1eef').replaceAll('á', '\\u00e1'),
      /four digits/,
    ],
    ['a JSON string', JSON.stringify(eventBody), /JSON string/],
    ['UTF-8 as Latin-1', Buffer.from(eventBody).toString('latin1'), /Latin-1/],
    ['accents apart', eventBody.normalize('NFD'), /NFC/],
  ]
  it.each(bodies)('of the body: %s', (_, body, names) => {
    const judged = judge(delivery({ body }), secret, NOW)
    expect(judged).toMatchObject({ grade: 'wrong', says: expect.stringMatching(/^Refused\. Your body/) })
    expect(judged.findings.map(({ says }) => says).join('\n')).toMatch(names)
    expect(isAccepted(delivery({ body }), secret)).toBe(false)
  })

  it.each<[what: string, sent: string, body: string, names: RegExp]>([
    ['CRLF became LF', '{"a":\r\n1}\r\n', '{"a":\n1}\n', /CRLF was sent/],
    ['LF became CRLF', '{"a":\n1}', '{"a":\r\n1}', /LF was sent/],
    ['a line break was lost', '{"a":1}\n', '{"a":1}', /lacks the line break/],
    ['a byte order mark was lost', '\uFEFF{"a":1}', '{"a":1}', /lacks the byte order mark/],
  ])('of the body of another sender: %s', (_, sent, body, names) => {
    const judged = judge(delivery({ body }, [secret], { id: 'evt_1', at: NOW, body: sent }), secret, NOW)
    expect(judged.findings.map(({ says }) => says).join('\n')).toMatch(names)
  })

  it('of the body of each event: keys that were sorted', () => {
    for (const one of EVENTS) {
      const sent = toEventJson(one)
      const sorted = (value: object): object =>
        Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([name, inner]) => [
              name,
              typeof inner === 'object' && inner !== null ? sorted(inner) : inner,
            ]),
        )
      const body = JSON.stringify(sorted(sent))
      const given = delivery({ body }, [secret], { id: one.id, at: NOW, body: JSON.stringify(sent) })
      expect(judge(given, secret, NOW).says, one.type).toMatch(/keys in another order/)
    }
  })

  const right = new Webhook(secret).sign(eventId, new Date(NOW), eventBody)
  const digest = right.slice(3)
  const hex = Buffer.from(digest, 'base64').toString('hex')
  const timestamp = String(NOW / 1_000)
  const content = `${eventId}.${timestamp}.${eventBody}`
  it.each<[what: string, signature: string, names: RegExp]>([
    ['no version', digest, /lacks v1, .+Apart from that it is right/],
    ['an equals sign', `v1=${digest}`, /v1= at its start.+Apart from that it is right/],
    ['hex', `v1,${hex}`, /written as hex.+Apart from that it is right/],
    ['no padding', `v1,${digest.replace('=', '')}`, /without =.+Apart from that it is right/],
    ['another version', `v2,${digest}`, /version v2/],
    ['a key pair', 'v1a,abcd', /version v1a/],
    ['a part of it', `v1,${digest.slice(0, 20)}`, /not v1, and base64 of 32 bytes/],
    ['the body alone', `v1,${mac(eventBody, key).toString('base64')}`, /over the body alone/],
    [
      'no id',
      `v1,${mac(`${timestamp}.${eventBody}`, key).toString('base64')}`,
      /over the timestamp and the body/,
    ],
    [
      'the text of the secret',
      `v1,${mac(content, secret).toString('base64')}`,
      /the text of the secret as the key/,
    ],
    ['base64 as the key', `v1,${mac(content, secret.slice(6)).toString('base64')}`, /not decoded/],
  ])('of the signature: %s', (_, signature, names) => {
    const judged = judge(delivery({ signature }), secret, NOW)
    expect(judged.grade).toBe('wrong')
    expect(judged.findings.filter(({ about }) => about === 'webhook-signature')).toMatchObject([
      { grade: 'wrong', says: expect.stringMatching(names) },
    ])
    const own = judgeOwn(signature, delivery(), secret)
    expect(own?.verdict).toBe('mistake')
    expect(own?.says).toMatch(names)
  })

  it('of the signature: two that are joined by a comma', () => {
    const signature = delivery({}, [secret, other]).signature.replace(' ', ', ')
    expect(judge(delivery({ signature }), secret, NOW)).toMatchObject({ grade: 'remark' })
    expect(
      judge(delivery({ signature: signature.replace(', ', ',') }), secret, NOW).findings.at(-1)?.says,
    ).toMatch(/commas/)
  })

  it.each<[typed: string, grade: string, names: RegExp]>([
    ['', 'wrong', /Type the secret/],
    ['sbs_abc', 'wrong', /client secret/],
    ['whsec_', 'wrong', /nothing/],
    ['whsec_a-b_', 'wrong', /has - at character 2/],
    ['whsec_ab c', 'wrong', /white space at character 3/],
    [secret.slice(0, -1), 'wrong', /Was a part of it lost/],
    [secretOf(7, 16), 'wrong', /too short: 16 bytes/],
    [secretOf(7, 65), 'wrong', /too long: 65 bytes/],
    [secret.slice(6), 'wrong', /lacks whsec_/],
    [` ${secret}\n`, 'remark', /white space around it/],
    [secretOf(7, 24), 'right', /24 bytes/],
  ])('of the secret: %j', (typed, grade, names) => {
    const [found] = judge(delivery(), typed, NOW).findings
    expect(found).toMatchObject({ about: 'Secret', grade, says: expect.stringMatching(names) })
  })

  it('of the secret, and the signature is judged all the same', () => {
    expect(judge(delivery(), secret.slice(6), NOW)).toMatchObject({
      grade: 'remark',
      says: expect.stringMatching(/^The signature is right, but/),
    })
    expect(judge(delivery(), ` ${secret} `, NOW).grade).toBe('right')
  })

  it.each<[timestamp: string, now: number, grade: string, names: RegExp]>([
    [timestamp, NOW + 300_999, 'right', /5 min behind/],
    [timestamp, NOW + 301_000, 'remark', /2026-11-23T06:00:00Z, 5 min 1 s behind/],
    [timestamp, NOW - 300_000, 'right', /5 min ahead of/],
    [timestamp, NOW - 301_000, 'remark', /5 min 1 s ahead of .+clock wrong/],
    [timestamp, NOW + 90_061_000, 'remark', /1 d 1 h behind/],
    [`${timestamp}000`, NOW, 'wrong', /milliseconds/],
    ['2026-11-23T06:00:00Z', NOW, 'wrong', /not a number of seconds/],
    ['1e9', NOW, 'wrong', /not a number/],
  ])('of the time: %s', (given, now, grade, names) => {
    const found = judge(delivery({ timestamp: given }), secret, now).findings.find(
      ({ about }) => about === 'webhook-timestamp',
    )
    expect(found).toMatchObject({ grade, says: expect.stringMatching(names) })
  })

  it('of the time, apart from the signature', () => {
    expect(judge(delivery(), secret, NOW + 86_400_000)).toMatchObject({
      grade: 'remark',
      says: expect.stringMatching(/^The signature is right/),
    })
    expect(judge(delivery(), other, NOW + 86_400_000).says).toMatch(/^Refused: no signature/)
    const milliseconds = { id: eventId, timestamp: String(NOW), body: eventBody }
    const signature = `v1,${mac(`${eventId}.${NOW}.${eventBody}`, key).toString('base64')}`
    expect(judge({ ...milliseconds, signature }, secret, NOW).says).toMatch(
      /refuses it all the same\. It is in milliseconds/,
    )
  })
})
