import { expect, it } from 'vitest'
import { Accounts } from '../../../../simulator/run/cluster/model/accounts.ts'
import { FINAL_AFTER_MS, outcomeOf } from '../../../../simulator/run/fleet/pay/unheard.ts'
import { type PartnerClient, PartnerRefusal } from '../../../../simulator/run/hub/partner-client.ts'

const unused = () => Promise.reject(new Error('not used'))

function hubThatSays(stages: () => Promise<string[]>): PartnerClient {
  return {
    ...{ logIn: unused, sendVerification: unused, register: unused, dynamicQr: unused },
    ...{ callback: unused, stores: unused },
    stages: async () => (await stages()).map((stage) => ({ deviceSerial: 'SB-0001', stage })),
  }
}

const { ledger } = new Accounts()
const payment = ledger.sent('FT1', 0, '1000', 0)
ledger.answered(payment, 1_000)
const ask = (stage: string, nowMs: number, upSinceMs?: number) =>
  outcomeOf(
    hubThatSays(async () => [stage]),
    payment,
    nowMs,
    upSinceMs,
  )

it('waits for an announcement that is on its way, from the answer on or since a hub is back', async () => {
  const over = 1_000 + FINAL_AFTER_MS
  expect(await ask('sent', over - 1)).toBeUndefined()
  expect(await ask('sent', over)).toMatchObject({ is: 'lost' })
  expect(await ask('sent', over, 2_000)).toBeUndefined()
  expect(await ask('sent', over + 1_000, 2_000)).toMatchObject({ is: 'lost' })
})

it('takes a payment for missed when it is expired, and for lost when it is played or not on record', async () => {
  expect(await ask('expired', 2_000)).toEqual({ is: 'missed', why: 'the hub says: expired' })
  expect(await ask('played', 2_000)).toMatchObject({ is: 'lost' })
  const notFound = new PartnerRefusal('GET', new Response('', { status: 404 }), {})
  const none = hubThatSays(() => Promise.reject(notFound))
  expect(await outcomeOf(none, payment, 2_000)).toMatchObject({ is: 'lost' })
})

it('rejects when the hub does not say', async () => {
  const away = hubThatSays(() => Promise.reject(new TypeError('fetch failed')))
  await expect(outcomeOf(away, payment, 2_000)).rejects.toThrow('fetch failed')
})
