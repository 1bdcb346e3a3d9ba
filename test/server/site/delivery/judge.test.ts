import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import { toEventJson } from '../../../../server/events/event.ts'
import { judge, judgeOwn } from '../../../../server/site/browser/delivery/judge.ts'
import { readDelivery } from '../../../../server/site/browser/delivery/read.ts'
import { duration } from '../../../../server/site/browser/delivery/timestamp.ts'
import { anyCharacter } from '../../../support/any-character.ts'
import {
  delivery,
  EVENTS,
  eventBody,
  eventId,
  isAccepted,
  mac,
  NOW,
  other,
  secret,
  secretOf,
} from './deliveries.ts'

it('a delivery of the hub is right', () => {
  for (const one of EVENTS) {
    const body = JSON.stringify(toEventJson(one))
    const judged = judge(delivery({}, [secret], { id: one.id, at: NOW, body }), secret, NOW)
    expect(judged.findings.map(({ grade }) => grade)).toEqual(['right', 'right', 'right', 'right', 'right'])
    expect(judged).toMatchObject({
      grade: 'right',
      right: { signature: new Webhook(secret).sign(one.id, new Date(NOW), body) },
    })
  }
})

it('it is right exactly when the library accepts it, whatever was changed', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 })
  const any = fc.record({
    // The library refuses a body that is not JSON.
    body: fc.oneof(fc.json(), fc.constant(eventBody)),
    change: fc.constantFrom(
      'nothing',
      'id',
      'timestamp',
      'signature',
      'body',
      'secret',
      'version',
      'second',
      'old',
      'future',
    ),
    size: fc.integer({ min: 24, max: 64 }),
    text,
  })
  fc.assert(
    fc.property(any, ({ body, change, size, text }) => {
      const now = Date.now()
      const own = secretOf(9, size)
      const ages = new Map([
        ['old', -3_600_000],
        ['future', 3_600_000],
      ])
      const sent = { id: 'evt_1', at: now + (ages.get(change) ?? 0), body }
      const given = delivery({}, change === 'second' ? [other, own] : [own], sent)
      if (change === 'id') given.id += 'x'
      if (change === 'timestamp') given.timestamp = String(Number(given.timestamp) - 1)
      if (change === 'body') given.body += text
      if (change === 'signature') given.signature = `v1,${Buffer.from(mac(text, 'k')).toString('base64')}`
      if (change === 'version') given.signature = given.signature.replace('v1,', 'v2,')
      const by = change === 'secret' ? other : own
      const isRight = ['right', 'remark'].includes(judge(given, by, now).grade)
      const inTime = !ages.has(change)
      expect(isRight && inTime).toBe(isAccepted(given, by))
      if (!inTime) expect(judge(given, by, now).grade).toBe('remark')
    }),
  )
})

it('two signatures: one is enough, and it says whether the secret is the newest', () => {
  const given = delivery({}, [secret, other])
  const newest = judge(given, secret, NOW)
  expect(newest.grade).toBe('right')
  expect(newest.findings.at(-2)?.says).toMatch(/^Signature 1 of 2: .+your secret is the newest/)
  expect(newest.findings.at(-1)).toMatchObject({
    grade: 'remark',
    says: expect.stringMatching(/other secret/),
  })
  const before = judge(given, other, NOW)
  expect(before.grade).toBe('right')
  expect(before.findings.at(-1)?.says).toMatch(/^Signature 2 of 2: .+the one before/)
  expect(judge(given, secretOf(3), NOW).grade).toBe('wrong')
})

it('a signature of another secret: it says whether the body can be at fault', () => {
  expect(judge(delivery(), other, NOW).says).toMatch(/so the secret is likely another one/)
  const changed = delivery({ body: eventBody.replace('"50000"', '"90000" ') })
  expect(judge(changed, secret, NOW).says).toMatch(/body was changed, or/)
  const foreign = delivery({ body: eventBody.replace(eventId, 'evt_other') })
  expect(judge(foreign, secret, NOW).findings).toContainEqual(
    expect.objectContaining({ about: 'Body', grade: 'wrong' }),
  )
  expect(
    judge(delivery({ body: eventBody.slice(0, 80) }), secret, NOW)
      .findings.map(({ says }) => says)
      .join(),
  ).toMatch(/not JSON/)
})

it.each(['id', 'timestamp', 'signature', 'body'] as const)('what is missing is named: %s', (part) => {
  const { [part]: _, ...rest } = delivery()
  const name = part === 'body' ? 'body' : `webhook-${part}`
  expect(judge(rest, secret, NOW)).toMatchObject({
    grade: 'wrong',
    says: expect.stringContaining(`${name} is missing`),
  })
})

it('says first what has to be looked at first', () => {
  expect(judge({}, '', NOW)).toMatchObject({
    grade: 'remark',
    says: expect.stringMatching(/^Paste a delivery/),
  })
  expect(judge(delivery(), '', NOW).says).toMatch(/^Without the secret .+Type the secret/)
  expect(judge(delivery(), secretOf(7, 16), NOW).says).toMatch(/Look at the secret: It is too short/)
  const cut = delivery({ body: eventBody.slice(0, 80) })
  expect(judge(cut, secret, NOW).says).toMatch(/Look at the body: 80 bytes that are not JSON/)
  const anew = delivery({ body: JSON.stringify(JSON.parse(eventBody), null, 2) }, [other, secret])
  expect(
    judge(anew, secret, NOW)
      .findings.map(({ grade }) => grade)
      .slice(-2),
  ).toEqual(['remark', 'wrong'])
})

it('never throws, whatever is pasted', () => {
  const piece = fc.constantFrom(
    'webhook-id: ',
    'webhook-signature: v1,',
    'webhook-timestamp=',
    '\n',
    '\n\n',
    '{"',
    '"',
    "'",
    'body: ',
    '[',
    '> ',
    ' -d ',
    'curl ',
    '\\',
    'AAAA',
    '=',
  )
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(fc.oneof(piece, fc.string()), { maxLength: 20 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, text, text, (pasted, typed, own) => {
      const found = readDelivery(pasted)
      expect(judge(found, typed, NOW).says).not.toBe('')
      expect(judge({ id: '1', timestamp: '1', body: pasted, signature: own }, secret, NOW).grade).not.toBe('')
      judgeOwn(own, { ...found, id: '1' }, secret)
    }),
  )
})

it.each<[seconds: number, text: string]>([
  [0, '0 s'],
  [59, '59 s'],
  [60, '1 min'],
  [3_661, '1 h 1 min'],
  [86_400, '1 d'],
  [100 * 86_400 + 60, '100 d'],
])('a duration of %d s is %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})
