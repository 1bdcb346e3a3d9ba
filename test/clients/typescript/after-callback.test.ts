import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { HubError, isTemporary } from '../../../clients/typescript/src/index.ts'
import { AFTER_ERROR } from '../../../server/http/errors/after-callback.ts'
import { publicError } from '../../../server/http/errors/catalogue.ts'
import { CALLBACK } from '../../support/callback.ts'
import { createStage, done, failed, inTurn, proxy, RECORD, refusal, type Said } from './stage.ts'

/** The table "After a callback": what the client does after each step that the table names. */
const codesTo = (...steps: string[]) =>
  Object.entries(AFTER_ERROR).flatMap(([name, [next]]) =>
    // Object.entries widens the type of the names.
    steps.includes(next) ? publicError(name as keyof typeof AFTER_ERROR).code : [],
  )
const REPEATED: [answer: string, said: () => Said, waits: number[]][] = [
  ['none', failed, [200]],
  ['none within the limit of an attempt', () => undefined, [20_000, 200]],
  ['half a 200', () => new Response('{"id":"p-'), [200]],
  ['200 of nobody', () => new Response('', { status: 200 }), [200]],
  ...codesTo('pause').map((code): (typeof REPEATED)[number] => [`${code}`, () => refusal(code), [200]]),
  ['502 of a proxy', () => proxy(502), [200]],
  ...codesTo('wait').map((code): (typeof REPEATED)[number] => [
    `${code}`,
    () => refusal(code, { 'Retry-After': '7' }),
    [7_000],
  ]),
  ['503 of a proxy without Retry-After', () => proxy(503), [200]],
  ['504 of a proxy', () => proxy(504), [200]],
  ['429 of a proxy', () => proxy(429, { 'Retry-After': '3' }), [3_000]],
  ...codesTo('renew').map((code): (typeof REPEATED)[number] => [`${code}`, () => refusal(code), []]),
]
const FINAL = [...codesTo('stop'), 40400, 40500]

describe('after a callback', () => {
  it.each(REPEATED)('that gets %s, the same bytes are sent again', async (_, said, waits) => {
    const { hub, requests, slept } = createStage(inTurn(said, done))
    expect(await hub.reportPayment(CALLBACK)).toEqual(RECORD)
    expect(requests).toHaveLength(2)
    expect(requests[1]?.body).toBe(requests[0]?.body)
    expect(slept).toEqual(waits)
  })

  it.each(FINAL)('that gets %i, nothing is sent again, and the error says why', async (code) => {
    const { hub, requests, slept } = createStage(() => refusal(code))
    const error = await hub.reportPayment(CALLBACK).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HubError)
    expect(error).toMatchObject({ code, status: Math.floor(code / 100), requestId: 'r-1' })
    expect(isTemporary(error)).toBe(false)
    expect(requests).toHaveLength(1)
    expect(slept).toEqual([])
  })

  it.each(codesTo('renew'))(
    'that gets %i with a new token, too, nothing is sent a third time',
    async (code) => {
      const { hub, requests, logins } = createStage(() => refusal(code))
      await expect(hub.reportPayment(CALLBACK)).rejects.toMatchObject({ code })
      expect([requests.length, logins.length]).toEqual([2, 2])
    },
  )

  it('has the table of the README', () => {
    const readme = readFileSync(new URL('../../../clients/typescript/README.md', import.meta.url), 'utf8')
    const table = readme.split('| Answer to a callback |')[1]?.split('\n\n')[0] ?? ''
    const does = (answer: string | number) =>
      table.split('\n').find((line) => line.split('|')[1]?.includes(String(answer)))
    for (const code of codesTo('renew')) expect(does(code)).toContain('gets another token')
    for (const code of codesTo('wait')) expect(does(Math.floor(code / 100))).toContain('`Retry-After`')
    for (const code of codesTo('pause')) expect(does(code < 50000 ? 408 : '5xx')).toContain('growing pauses')
    for (const code of codesTo('stop')) {
      expect(does(code)).toBeUndefined()
      expect(does('any other')).toContain('rejects at once')
    }
  })
})
