import { expect, it } from 'vitest'
import { Ledger } from '../../../../simulator/run/fleet/model/ledger.ts'
import { resolveOverdue, resolveUnheard } from '../../../../simulator/run/fleet/pay/unheard.ts'
import { createPartnerClient } from '../../../../simulator/run/hub/partner-client.ts'
import { sentence } from './stand-in.ts'

/** Payments that were answered at the given times and not heard, and a hub that says one stage of each. */
function unheardAt(answered: readonly number[], stage: string | undefined) {
  const ledger = new Ledger()
  for (const [index, atMs] of answered.entries())
    ledger.answered(ledger.sent(`FT${index}`, index, '50000', atMs), atMs)
  const asked: string[] = []
  const client = {
    ...createPartnerClient('http://127.0.0.1:1', '', ''),
    async stages(ftCode: string) {
      asked.push(ftCode)
      if (stage === undefined) throw new TypeError('fetch failed')
      return [{ deviceSerial: 'FLEET-1', stage }]
    },
  }
  return { ledger, client, asked }
}

it('takes no payment for lost because the hub does not answer, and does not ask about every one', async () => {
  const { ledger, client, asked } = unheardAt(Array(100).fill(0), undefined)
  await resolveUnheard(client, ledger, 500_000)
  expect(ledger.totals).toMatchObject({ open: 100, lost: 0, missed: 0 })
  expect(asked.length).toBeLessThan(20)
})

it('takes a payment for lost that the record calls played and nobody heard', async () => {
  const { ledger, client } = unheardAt([0], 'played')
  await resolveUnheard(client, ledger, 500_000)
  expect(ledger.totals).toMatchObject({ open: 0, lost: 1 })
})

it('tells a box that has it, without a sound that anybody heard, from a lost payment', async () => {
  const { ledger, client } = unheardAt([0], 'delivered')
  await resolveUnheard(client, ledger, 500_000)
  expect(ledger.totals).toMatchObject({ open: 0, lost: 0, silent: 1 })
})

it('asks whether a box may have repeated what was heard twice', async () => {
  const { ledger, client } = unheardAt([0, 0, 0], 'delivered')
  for (const speaker of [0, 0, 1, 1, 2]) ledger.heard(speaker, sentence('50000', 100))
  const asked: string[] = []
  const stages = async (ftCode: string) => {
    asked.push(ftCode)
    const [reached] = await client.stages(ftCode)
    return reached && ftCode === 'FT1' ? [{ ...reached, mayRepeat: true as const }] : []
  }
  await resolveUnheard({ ...client, stages }, ledger, 500_000)
  expect(asked).toEqual(['FT0', 'FT1'])
  expect(ledger.totals).toMatchObject({ heardTwice: 2, mayRepeat: 1, heardOnce: 1 })
})

it('asks during the run about overdue payments only, and about few at a time', async () => {
  const { ledger, client, asked } = unheardAt([...Array(50).fill(0), 100_000], 'expired')
  await resolveOverdue(client, ledger, 131_000)
  expect(asked).toHaveLength(20)
  await resolveOverdue(client, ledger, 131_000)
  await resolveOverdue(client, ledger, 131_000)
  expect(ledger.totals).toMatchObject({ missed: 50, open: 1 })
  expect(asked).toHaveLength(50)
})
