import { expect, it, onTestFinished } from 'vitest'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { byPartner } from '../../../../server/security/actor.ts'
import type { StorageObserver } from '../../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../../server/storage/sqlite/storage.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { storageOptions } from '../../../support/storage-options.ts'
import { AT, bornWith, createShop, freeSpeaker, owned, payWell } from '../shop.ts'
import { deliveryOf, progressOf, secretOf, webhookOf } from '../webhook-world.ts'

/** A storage whose stages are written down as `stage after ms`. */
async function observed() {
  const { file, vault } = openTestStorage()
  const stages: string[] = []
  const commits: number[] = []
  const observe: StorageObserver = {
    stage: (stage, sinceQueuedMs) => stages.push(`${stage} after ${sinceQueuedMs}`),
    commit: (writes) => commits.push(writes),
  }
  const storage = openSqliteStorage(file, storageOptions({ vault, ids: createRandomIds(), observe }))
  onTestFinished(() => storage.close())
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId)
  const owner = await owned(storage, speaker.deviceId)
  const pay = async () => {
    const [announcement] = (await payWell(shop, clientId)).announcements
    return { id: announcement?.id ?? '', n: announcement?.n ?? 0 }
  }
  const taken = () => stages.splice(0)
  return { storage, shop, clientId, speaker, owner, pay, commits, taken }
}

it('reports each stage once, with the time since the payment', async () => {
  const { storage, owner, pay, taken } = await observed()
  const { outbox } = storage
  const { deviceId } = owner
  const { id: announcementId, n: commandNumber } = await pay()
  expect(taken()).toEqual(['queued after 0'])
  for (const _ of [1, 2]) await outbox.markSent(announcementId, owner, AT + 10)
  for (const stage of ['received', 'received', 'played', 'failed'] as const)
    await outbox.recordAck({ announcementId, commandNumber, deviceId, stage, reason: undefined }, AT + 20)
  expect(taken()).toEqual(['sent after 10', 'received after 20', 'played after 20'])
})

it('reports an announcement that its payment stored as sent, after the commit', async () => {
  const { storage, shop, clientId, owner, taken } = await observed()
  const claimed = await freeSpeaker(storage, owner.deviceId)
  const result = await storage.payments.record(shop.payment(clientId), [claimed])
  expect(taken()).toEqual(['queued after 0', expect.stringMatching(/^sent after \d/)])
  const [announcement] = result.kind === 'recorded' ? result.announcements : []
  await storage.outbox.markSent(announcement?.id ?? '', owner, AT + 10)
  expect(taken()).toEqual([])
})

it('reports an announcement that the sweep or a birth has ended', async () => {
  const { storage, owner, pay, taken } = await observed()
  await pay()
  await storage.outbox.expire(AT + 120_000)
  expect(taken()).toEqual(['queued after 0', 'expired after 120000'])

  const heard = await pay()
  await storage.outbox.markSent(heard.id, owner, AT)
  await pay()
  const { n } = (await storage.outbox.open(owner.deviceId, AT))[0] ?? { n: 0 }
  taken()
  await storage.outbox.begin(owner, AT + 130_000, { born: bornWith({ played: n }) })
  expect(taken()).toEqual(['played after 130000', 'expired after 130000'])
})

it('reports the announcement of a locked speaker as suppressed, and nothing for a repeat', async () => {
  const { storage, shop, clientId, speaker, pay, taken } = await observed()
  await pay()
  await storage.devices.setActive(byPartner(clientId), speaker.serial, false, AT + 5)
  expect(taken()).toEqual(['queued after 0', 'suppressed after 5'])
  const payment = shop.payment(clientId)
  for (const _ of [1, 2]) await shop.pay(clientId, payment)
  expect(taken()).toEqual(['suppressed after 0'])
})

it('reports how many writes shared a commit; the backlog counts the open announcements', async () => {
  const { storage, shop, clientId, commits } = await observed()
  commits.splice(0)
  await Promise.all([1, 2, 3].map(() => shop.pay(clientId)))
  expect(commits).toEqual([3])
  expect(await storage.outbox.backlog()).toEqual({ open: 3, oldestQueuedAt: AT })
  await storage.outbox.expire(AT + 120_000)
  expect(await storage.outbox.backlog()).toEqual({ open: 0, oldestQueuedAt: undefined })
})

it('stores the attempts of many webhooks in several commits, so that payments go between them', async () => {
  const { storage, clientId, commits } = await observed()
  await storage.webhooks.add(byPartner(clientId), webhookOf(clientId, 'wh_1'), secretOf('wh_1'))
  const one = progressOf('wh_1', { deliveries: [deliveryOf('wh_1', Number.MAX_SAFE_INTEGER)] })
  commits.length = 0
  await storage.webhookQueue.store(Array(120).fill(one), AT)
  expect(commits).toEqual([1, 1, 1])
})
