import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HubClient } from '../../../clients/typescript/src/index.ts'
import { CALLBACK } from '../../support/callback.ts'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  createStage,
  done,
  failed,
  inTurn,
  RECORD,
  refusal,
  tokens,
} from './stage.ts'

const tokenOf = (sent: { headers: Headers } | undefined) => sent?.headers.get('Authorization')
const paths = (sent: { path: string }[]) => sent.map(({ path }) => path)

describe('a token', () => {
  it('is got once for calls that begin together, and kept', async () => {
    const { hub, requests, logins } = createStage(done)
    await Promise.all([hub.getStore('1'), hub.getStore('2'), hub.reportPayment(CALLBACK)])
    await hub.getStore('3')
    expect(logins.map(({ body }) => JSON.parse(body ?? ''))).toEqual([
      { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    ])
    expect(new Set(requests.map(tokenOf)).size).toBe(1)
  })

  it('is refreshed before it expires', async () => {
    const { hub, logins, wind } = createStage(done)
    await hub.getStore('1')
    wind(3_539_000)
    await hub.getStore('1')
    expect(paths(logins)).toEqual(['/auth/token'])
    wind(2_000)
    await Promise.all([hub.getStore('1'), hub.getStore('2')])
    expect(paths(logins)).toEqual(['/auth/token', '/auth/refresh'])
    expect(JSON.parse(logins[1]?.body ?? '')).toEqual({ refreshToken: expect.stringMatching(/^sbr_/) })
  })

  it.each([40101, 40102])(
    'that dies (%i) is refreshed once, however many calls it was sent with',
    async (code) => {
      let dead: string | null | undefined
      const { hub, requests, logins } = createStage((sent) => {
        dead ??= tokenOf(sent)
        return tokenOf(sent) === dead ? refusal(code) : done()
      })
      await Promise.all(['1', '2', '3', '4'].map((id) => hub.getStore(id)))
      expect(paths(logins)).toEqual(['/auth/token', '/auth/refresh'])
      expect(requests).toHaveLength(8)
    },
  )

  it('that dies is not refreshed again for an answer that comes late', async () => {
    const late = Promise.withResolvers<Response>()
    const { hub, logins } = createStage((_, number) => [refusal(40101), late.promise][number - 1] ?? done())
    const calls = [hub.getStore('1'), hub.getStore('2')]
    await calls[0]
    late.resolve(refusal(40101))
    await calls[1]
    expect(paths(logins)).toEqual(['/auth/token', '/auth/refresh'])
  })

  it('is refreshed again, and not replaced, when the hub was away', async () => {
    let asked = 0
    const { hub, logins } = createStage(
      inTurn(() => refusal(40102), done),
      {
        auth() {
          asked += 1
          return asked === 2 ? refusal(50300, { 'Retry-After': '1' }) : tokens()
        },
      },
    )
    await hub.getStore('1')
    expect(paths(logins)).toEqual(['/auth/token', '/auth/refresh', '/auth/refresh'])
  })

  it('that is refused although it is new is an error: a third one would help as little', async () => {
    const { hub, requests } = createStage(() => refusal(40101))
    await expect(hub.reportPayment(CALLBACK)).rejects.toMatchObject({ code: 40101 })
    expect(requests).toHaveLength(2)
  })

  it('may die again in a call that goes on', async () => {
    const { hub, requests } = createStage(
      inTurn(
        () => refusal(40102),
        () => refusal(50300, { 'Retry-After': '1' }),
        () => refusal(40102),
        done,
      ),
    )
    expect(await hub.reportPayment(CALLBACK)).toEqual(RECORD)
    expect(requests).toHaveLength(4)
  })

  it.each([40104, 40107])('that can not be refreshed (%i) is replaced by a login', async (code) => {
    const { hub, logins } = createStage(
      inTurn(() => refusal(40101), done),
      {
        auth: ({ path }) => (path === '/auth/refresh' ? refusal(code) : tokens()),
      },
    )
    await hub.reportPayment(CALLBACK)
    expect(paths(logins)).toEqual(['/auth/token', '/auth/refresh', '/auth/token'])
  })

  it.each([
    ['no answer', failed, 200],
    ['429', () => refusal(42900, { 'Retry-After': '3' }), 3_000],
    ['503', () => refusal(50300, { 'Retry-After': '2' }), 2_000],
  ])('is asked for again after %s, also for what is never sent twice', async (_, said, ms) => {
    let asked = 0
    const { hub, requests, slept } = createStage(done, {
      auth() {
        asked += 1
        return asked === 1 ? said() : tokens()
      },
    })
    await hub.testDevice('S-1')
    expect(slept).toEqual([ms])
    expect(requests).toHaveLength(1)
  })

  it.each([40103, 40106, 42902])('is not asked for again after %i', async (code) => {
    const { hub, logins } = createStage(done, { auth: () => refusal(code, { 'Retry-After': '1' }) })
    await expect(hub.reportPayment(CALLBACK)).rejects.toMatchObject({ code, operation: 'getAccessToken' })
    expect(logins).toHaveLength(1)
  })

  it('of somebody who is no hub is none', async () => {
    const { hub } = createStage(done, { auth: () => Response.json({ accessToken: 'a\nb' }) })
    await expect(hub.getStore('1')).rejects.toThrow('no tokens')
  })

  it('that one call does not wait for is still for the others', async () => {
    const controller = new AbortController()
    const { hub, logins } = createStage(done, {
      auth() {
        controller.abort(new Error('not for me'))
        return tokens()
      },
    })
    const given = [hub.getStore('1', { signal: controller.signal }), hub.getStore('2')]
    const [left, waited] = await Promise.allSettled(given)
    expect(left).toMatchObject({ status: 'rejected', reason: { message: 'not for me' } })
    expect(waited).toMatchObject({ status: 'fulfilled' })
    expect(logins).toHaveLength(1)
  })
})

describe('the secret', () => {
  const everything = (value: unknown) =>
    inspect(value, { depth: 9, showHidden: true, getters: true }) + JSON.stringify(value) + String(value)

  it('is in no client, no error and no attempt', async () => {
    const seen: string[] = []
    const note = (value: unknown) => void seen.push(everything(value))
    for (const said of [() => refusal(40014), failed, () => refusal(40103)]) {
      const { hub } = createStage(said, { onAttempt: note })
      note(hub)
      await hub.reportPayment(CALLBACK).catch(note)
      const wrong = createStage(said, { onAttempt: note, auth: () => said() })
      await wrong.hub.reportPayment(CALLBACK).catch(note)
    }
    // The message of JSON.parse quotes what it does not understand.
    const { hub } = createStage(() => new Response('{"secret":"whsec_very-secret"x'), { onAttempt: note })
    await hub.createWebhook({ url: 'https://shop.example' }).catch(note)
    expect(seen.length).toBeGreaterThan(10)
    for (const text of seen) expect(text).not.toMatch(/very-secret|sba_|sbr_/)
  })

  it('is not taken in the address, which errors of fetch show', () => {
    const url = 'https://user:very-secret@hub.example'
    const make = () => new HubClient({ url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })
    expect(make).toThrow(/^(?!.*very-secret).*no password/)
  })
})
