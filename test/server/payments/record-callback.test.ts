import { expect, it, vi } from 'vitest'
import { HubError } from '../../../server/platform/errors.ts'
import { createTestShop } from '../../support/api.ts'
import { signedCallback } from '../../support/callback.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { openTestStorage } from '../../support/storage.ts'
import { AT, createShop } from '../storage/shop.ts'

/** A till with one speaker that does what it is told, and how often the hub has asked to note something as sent. */
async function world() {
  const { api, partner, device } = await createTestShop()
  const noted = vi.spyOn(api.storage.outbox, 'markSent')
  const report = async (ftCode: string) => expect((await partner.pay({ ftCode })).status).toBe(200)
  const pay = async (ftCode: string) => {
    noted.mockClear()
    await report(ftCode)
    await settle()
    const answer = await partner.call('GET', `/payment/transactions/${ftCode}`)
    return { announcement: Object(answer.body).announcements[0], commits: noted.mock.calls.length }
  }
  return { device, pay }
}

it('has a payment told by its own commit when the speaker that said the last one is free', async () => {
  const { device, pay } = await world()
  // Nobody knows yet who will say it.
  expect(await pay('FT1')).toMatchObject({ announcement: { stage: 'played' }, commits: 1 })
  expect(await pay('FT2')).toMatchObject({ announcement: { stage: 'played' }, commits: 0 })
  expect(device.heard.filter(({ t }) => t === 'announce')).toHaveLength(2)
})

it('leaves what a speaker can not be told at once on record as queued, until it is told', async () => {
  const { device, pay } = await world()
  await pay('FT1')
  device.obeys = 'silent'
  expect(await pay('FT2')).toMatchObject({ announcement: { stage: 'sent' }, commits: 0 })
  expect(await pay('FT3')).toMatchObject({ announcement: { stage: 'queued' }, commits: 0 })
  device.leave()
  expect(await pay('FT4')).toMatchObject({ announcement: { stage: 'queued' }, commits: 0 })
})

it('asks for leave before it explains a wrong checksum, and for no callback that is signed well', async () => {
  const { storage, vault } = openTestStorage()
  const { verbs } = createTestCore({ storage, vault, clock: createVirtualClock() })
  const shop = createShop(storage)
  const clientId = await shop.partner()
  await shop.speaker(clientId)
  const signed = { ...signedCallback('secret', { terminalID: 'T1' }), paidAt: AT }
  const leave = vi.fn(() => {
    throw new HubError('RATE_LIMITED')
  })
  expect(await verbs.recordCallback(clientId, signed, leave)).toMatchObject({ replayed: false })
  expect(leave).not.toHaveBeenCalled()
  const forged = { ...signed, checkSum: '0'.repeat(64) }
  await expect(verbs.recordCallback(clientId, forged, leave)).rejects.toMatchObject({ kind: 'RATE_LIMITED' })
  expect(leave).toHaveBeenCalledOnce()
})
