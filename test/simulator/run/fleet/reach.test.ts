import { expect, it } from 'vitest'
import { watchReach } from '../../../../simulator/run/fleet/pay/reach.ts'
import { createPartnerClient, PartnerRefusal } from '../../../../simulator/run/hub/partner-client.ts'

const refusal = (status: number) => new PartnerRefusal('GET /x', new Response(null, { status }), {})

it('is away from the first request that no hub answers to the next one that a hub does', async () => {
  let answer: () => Promise<never[]> = async () => []
  let nowMs = 0
  const client = { ...createPartnerClient('http://127.0.0.1:1', '', ''), stages: () => answer() }
  const reach = watchReach(client, () => nowMs)
  const ask = async (atMs: number, next: typeof answer) => {
    nowMs = atMs
    answer = next
    await reach.client.stages('FT1').catch(() => undefined)
    return reach.awaySinceMs
  }
  expect(await ask(1, async () => [])).toBeUndefined()
  const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })
  expect(await ask(2, () => Promise.reject(refused))).toBe(2)
  expect(reach.lastFailure).toBe('fetch failed: connect ECONNREFUSED')
  expect(await ask(3, () => Promise.reject(refusal(503)))).toBe(2)
  expect(await ask(4, () => Promise.reject(refusal(404)))).toBeUndefined()
  expect(await ask(5, () => Promise.reject(refusal(502)))).toBe(5)
  expect(await ask(6, async () => [])).toBeUndefined()
})

const FIELDS = {
  ...{ terminalID: '', bankCode: '', billNumber: '', transactionAmount: '', notice: '' },
  ...{ payDate: '', traceTransfer: '', ftCode: '' },
}

it('takes a hub for away that answers nothing for 5 s, since it was asked, but not one that waits for a speaker', async () => {
  let nowMs = 1_000
  const answers: (() => void)[] = []
  const waits = () => new Promise<number>((resolve) => answers.push(() => resolve(1)))
  const never = () => new Promise<void>(() => {})
  const client = {
    ...createPartnerClient('http://127.0.0.1:1', '', ''),
    callback: waits,
    sendVerification: never,
  }
  const reach = watchReach(client, () => nowMs)
  void reach.client.sendVerification('FLEET-1')
  nowMs = 60_000
  expect(reach.awaySinceMs).toBeUndefined()
  const first = reach.client.callback(FIELDS)
  nowMs = 63_000
  const second = reach.client.callback(FIELDS)
  nowMs = 64_999
  expect(reach.awaySinceMs).toBeUndefined()
  nowMs = 65_000
  expect([reach.awaySinceMs, reach.lastFailure]).toEqual([60_000, 'no answer'])
  answers[0]?.()
  await first
  expect(reach.awaySinceMs).toBeUndefined()
  nowMs = 70_000
  expect(reach.awaySinceMs).toBe(65_000)
  answers[1]?.()
  await second
  nowMs = 90_000
  expect(reach.awaySinceMs).toBeUndefined()
})
