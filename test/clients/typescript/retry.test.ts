import { describe, expect, it, onTestFinished } from 'vitest'
import { isHubError, isTemporary, NoAnswerError } from '../../../clients/typescript/src/index.ts'
import { CALLBACK, checksumOf } from '../../support/callback.ts'
import { settle } from '../../support/clock.ts'
import { CLIENT_SECRET, createStage, done, failed, inTurn, proxy, refusal } from './stage.ts'

describe('after a callback', () => {
  it('that is signed, the checksum is that of the fields as they are sent', async () => {
    const { hub, requests } = createStage(done)
    const { notice: _, ...withoutNotice } = CALLBACK
    await hub.reportPayment(withoutNotice)
    await hub.reportPayment({ ...CALLBACK, checkSum: 'mine' })
    const [own, given] = requests.map(({ body }) => JSON.parse(body ?? ''))
    expect(own).toEqual({ ...withoutNotice, checkSum: checksumOf(CLIENT_SECRET, withoutNotice) })
    expect(given.checkSum).toBe('mine')
  })

  it('that gets no answer, pauses grow until the time limit, and the last error is thrown', async () => {
    const { hub, slept } = createStage(failed)
    const error = await hub.reportPayment(CALLBACK).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(NoAnswerError)
    expect(isTemporary(error)).toBe(true)
    expect(slept).toEqual([200, 400, 800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000])
  })

  it('that gets 503, a wait beyond the time limit is not begun', async () => {
    const { hub, slept } = createStage(() => refusal(50300, { 'Retry-After': '60' }))
    await expect(hub.reportPayment(CALLBACK)).rejects.toMatchObject({ code: 50300, retryAfterMs: 60_000 })
    expect(slept).toEqual([])
  })

  it('the time limit ends an attempt and the wait for a token, too', async () => {
    const { hub, clock } = createStage(() => undefined, { timeLimitMs: 5_000 })
    await expect(hub.reportPayment(CALLBACK)).rejects.toThrow('no answer within 5 s')
    expect(clock.now()).toBe(5_000)
    const other = createStage(done, { timeLimitMs: 5_000, auth: () => undefined })
    await expect(other.hub.reportPayment(CALLBACK)).rejects.toThrow('no token within the time limit')
    expect(other.clock.now()).toBe(5_000)
  })

  it('the pauses of clients that fail together are spread', async () => {
    const { hub, slept } = createStage(
      inTurn(failed, () => refusal(50300, { 'Retry-After': '10' }), done),
      {
        random: () => 0.5,
      },
    )
    await hub.reportPayment(CALLBACK)
    expect(slept).toEqual([150, 10_500])
  })
})

describe('a signal', () => {
  it('ends a call that waits for an answer', async () => {
    const controller = new AbortController()
    const stage = createStage(() => {
      controller.abort(new Error('the shop is closed'))
      return undefined
    })
    const call = stage.hub.reportPayment(CALLBACK, { signal: controller.signal })
    await expect(call).rejects.toThrow('the shop is closed')
  })

  it('ends a call that pauses', async () => {
    const controller = new AbortController()
    const { hub, requests } = createStage(
      () => {
        setImmediate(() => controller.abort())
        return failed()
      },
      { onAttempt: () => undefined },
    )
    const call = hub.reportPayment(CALLBACK, { signal: controller.signal })
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    expect(requests).toHaveLength(1)
  })

  it('may be shared by many calls: Node.js does not warn of its listeners', async () => {
    const warned: Error[] = []
    const note = (warning: Error) => void warned.push(warning)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const controller = new AbortController()
    const { hub } = createStage((_, number) => {
      if (number === 30) controller.abort(new Error('closed'))
      return undefined
    })
    const calls = Array.from({ length: 30 }, () => hub.getStore('1', { signal: controller.signal }))
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ reason: { message: 'closed' } })
    await settle()
    expect(warned).toEqual([])
  })

  it('that has aborted before keeps everything back', async () => {
    const { hub, requests, logins } = createStage(done)
    const call = hub.reportPayment(CALLBACK, { signal: AbortSignal.abort(new Error('closed')) })
    await expect(call).rejects.toThrow('closed')
    expect([requests, logins]).toEqual([[], []])
  })
})

describe('an operation with a key', () => {
  const bill = { storeId: 's-1', billNumber: 'B1', transactionAmount: '1' }

  it('is sent again under the same key, and another call has another', async () => {
    const { hub, requests } = createStage(inTurn(failed, done))
    await hub.createDynamicQr(bill)
    await hub.createDynamicQr(bill)
    const keys = requests.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys[0]).toMatch(/^[\x21-\x7e]{1,255}$/)
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('takes a key that the caller has stored', async () => {
    const { hub, requests } = createStage(done)
    await hub.createDynamicQr(bill, { idempotencyKey: 'bill-1' })
    expect(requests[0]?.headers.get('Idempotency-Key')).toBe('bill-1')
  })
})

describe('an operation without a key that does something each time', () => {
  it.each([
    ['no answer', failed],
    ['504', () => refusal(50401)],
    ['500', () => refusal(50000)],
  ])('is not sent again after %s', async (_, said) => {
    const { hub, requests } = createStage(said)
    await expect(hub.testDevice('S-1')).rejects.toThrow('testDevice: ')
    expect(requests).toHaveLength(1)
  })

  it.each([42900, 50300, 40102, 40800])('is sent again after %i, which did nothing', async (code) => {
    const { hub, requests } = createStage(inTurn(() => refusal(code, { 'Retry-After': '1' }), done))
    await hub.testDevice('S-1')
    expect(requests).toHaveLength(2)
  })
})

it('a webhook that is gone after a deletion without an answer is deleted', async () => {
  const { hub } = createStage(inTurn(failed, () => refusal(40404)))
  await hub.deleteWebhook('wh_1')
  for (const before of [() => refusal(40404), () => refusal(50300, { 'Retry-After': '1' })]) {
    const other = createStage(inTurn(before, () => refusal(40404)))
    await expect(other.hub.deleteWebhook('wh_1')).rejects.toMatchObject({ code: 40404 })
  }
})

it('a quota that is used up is an error at once, with the time to wait', async () => {
  const { hub, slept } = createStage(() => refusal(42901, { 'Retry-After': '600' }))
  const error = await hub.sendVerificationCode({ deviceSerial: 'S-1' }).catch((thrown: unknown) => thrown)
  expect(isHubError(error, 42901) && error.retryAfterMs).toBe(600_000)
  expect(isHubError(error, 42900, 40014)).toBe(false)
  expect(slept).toEqual([])
})

it('the path of a gateway stays before that of the API', async () => {
  for (const url of ['https://gw.example/soundbox/', new URL('https://gw.example/soundbox')]) {
    const { hub, requests } = createStage(done, { url })
    await hub.getStore('s-1')
    expect(requests[0]?.path).toBe('/soundbox/store/s-1')
  }
})

it('an address without its scheme is a mistake at once', () => {
  expect(() => createStage(done, { url: 'hub.example:8080' })).toThrow('begins with https://')
})

it('a redirect is an error: it would take the secret elsewhere', async () => {
  const { hub, requests } = createStage(
    () => new Response(null, { status: 307, headers: { Location: 'https://x/' } }),
  )
  await expect(hub.reportPayment(CALLBACK)).rejects.toMatchObject({ status: 307, code: 30700 })
  expect(requests.map(({ redirect }) => redirect)).toEqual(['manual'])
})

it('waits until the date that a proxy names', async () => {
  const date = new Date(Date.now() + 10_000).toUTCString()
  const { hub, slept } = createStage(inTurn(() => proxy(503, { 'Retry-After': date }), done))
  await hub.reportPayment(CALLBACK)
  expect(slept).toHaveLength(1)
  expect(slept[0]).toBeGreaterThan(5_000)
  expect(slept[0]).toBeLessThanOrEqual(10_000)
})

it('an error of somebody else has the code of its status', async () => {
  const { hub } = createStage(() => Response.json({ code: 40014, error: 7, details: 'x' }, { status: 403 }))
  const call = hub.reportPayment(CALLBACK)
  await expect(call).rejects.toMatchObject({ code: 40300, error: 'UNKNOWN', details: [], isTemporary: false })
})

it('each attempt is told, with the id of the request in the log of the hub', async () => {
  const told: unknown[] = []
  const { hub } = createStage(
    inTurn(() => refusal(50300, { 'Retry-After': '1' }), done),
    {
      onAttempt: ({ operation, number, status, requestId }) =>
        told.push([operation, number, status, requestId]),
    },
  )
  await hub.reportPayment(CALLBACK)
  expect(told).toEqual([
    ['getAccessToken', 1, 200, undefined],
    ['reportPayment', 1, 503, 'r-1'],
    ['reportPayment', 2, 200, undefined],
  ])
})
