import { expect, it } from 'vitest'
import { AT, bornWith } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'
import { GIVEN_UP_AT, opened, STALE_AT } from './announced.ts'

export function reconcileContract(open: OpenStorage) {
  it('leaves fresh announcements at a birth: they are sent again', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const sent = [await announced(), await announced()]
    for (const { id } of sent) await storage.outbox.markSent(id, AT)
    await storage.outbox.reconcile(deviceId, sent[0]?.n ?? 0, STALE_AT - 30_001)
    for (const one of sent) expect(await one.trail()).toMatchObject({ stage: 'sent' })
  })

  it('takes late announcements for played up to the number of a birth, and expires those above', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [received, last, above] = [await announced(), await announced(), await announced()]
    for (const { id } of [received, last, above]) await storage.outbox.markSent(id, AT)
    await storage.outbox.recordAck(step(received.id, 'received'), AT)
    await storage.outbox.reconcile(deviceId, last.n, STALE_AT)
    expect(await received.trail()).toMatchObject({ stage: 'played' })
    expect(await last.trail()).toMatchObject({ stage: 'played' })
    expect(await above.trail()).toMatchObject({ stage: 'expired' })
  })

  it('takes an announcement for played, too, that has too little time left to be sent again', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const [last, above] = [await announced(), await announced()]
    for (const { id } of [last, above]) await storage.outbox.markSent(id, AT)
    await storage.outbox.reconcile(deviceId, last.n, STALE_AT - 30_000)
    expect(await last.trail()).toMatchObject({ stage: 'played' })
    expect(await above.trail()).toMatchObject({ stage: 'sent' })
  })

  it('expires a late announcement that was never received when the device has played a higher number', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const [overtaken, played] = [await announced(), await announced()]
    for (const { id } of [overtaken, played]) await storage.outbox.markSent(id, AT)
    await storage.outbox.reconcile(deviceId, played.n, STALE_AT)
    expect(await overtaken.trail()).toMatchObject({ stage: 'expired' })
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1 })
  })

  it('does not show an expired announcement as missed when it was received and the birth shows that it was played', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [received, last, above] = [await announced('1'), await announced('2'), await announced('4')]
    for (const { id } of [received, last, above]) await storage.outbox.markSent(id, AT)
    await storage.outbox.recordAck(step(received.id, 'received'), AT)
    await storage.outbox.expire(GIVEN_UP_AT)
    await storage.outbox.reconcile(deviceId, last.n, GIVEN_UP_AT + 1)
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '4' })
  })

  it('does not show an expired announcement as missed when it was the last that the device has played', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const [unspoken, spoken] = [await announced('7'), await announced('8')]
    for (const { id } of [unspoken, spoken]) await storage.outbox.markSent(id, AT)
    await storage.outbox.expire(GIVEN_UP_AT)
    await storage.outbox.reconcile(deviceId, spoken.n, GIVEN_UP_AT + 1)
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '7' })
  })

  it('shows an announcement as missed that the device refused, even when it has played a higher number', async () => {
    const { storage, deviceId, announced, step } = await opened(await open())
    const [refused, played] = [await announced('7'), await announced('8')]
    for (const { id } of [refused, played]) await storage.outbox.recordAck(step(id, 'received'), AT)
    await storage.outbox.recordAck(step(refused.id, 'expired', 'expired'), AT)
    await storage.outbox.recordAck(step(played.id, 'played'), AT)
    await storage.outbox.reconcile(deviceId, played.n, AT)
    expect(await storage.outbox.missed(deviceId)).toMatchObject({ count: 1, amount: '7' })
  })

  it('gives unsent announcements new numbers above all that the device has played', async () => {
    const { storage, deviceId, announced } = await opened(await open())
    const waiting = [await announced(), await announced()]
    await storage.outbox.reconcile(deviceId, 0, AT)
    expect((await storage.outbox.open(deviceId, AT)).map(({ n }) => n)).toEqual(waiting.map(({ n }) => n))
    await storage.devices.recordBirth(deviceId, bornWith({ played: 1_000 }), AT)
    await storage.outbox.reconcile(deviceId, 1_000, AT)
    const renumbered = await storage.outbox.open(deviceId, AT)
    expect(renumbered.map(({ id, n }) => [id, n])).toEqual(
      waiting.map(({ id }, index) => [id, 1_001 + index]),
    )
  })
}
