import { expect, it } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import type { BoxKind } from '../../../simulator/boxes/kinds.ts'
import { openBoxWorld } from './world.ts'

const HOUR_MS = 3_600_000

/** A box that is born. */
async function ready(kind: BoxKind = 'hemipay', options: Parameters<typeof openBoxWorld>[0] = {}) {
  const world = await openBoxWorld(options)
  const box = await world.addBox(kind)
  await box.powerOn()
  await world.pass(5_000)
  const paid = (amount = '50000') => world.pay(box.terminalID, amount)
  /** What was sent of announcements. */
  const announced = () =>
    box.sent.filter(({ payload }) => /"payment"|"voice"|SpeechBroadcast"|"money"|"orderId"/.test(payload))
  return { ...world, box, paid, announced }
}

/** The part of a message that names the announcement. */
const idIn = (payload: string) => /"message_id":"(\d+)"|"id":"([0-9A-Z]{26})"/.exec(payload)?.slice(1)

it.each(['hemipay', 'alink'] as const)(
  '%s without a PUBACK for 10 s is reset, gets it once more under the same id, and then never',
  async (kind) => {
    const { box, paid, announced, pass, trail } = await ready(kind)
    // Neither the message nor its answer passes.
    box.stall(true)
    const ftCode = await paid()
    await pass(9_999)
    expect(box.witnesses).toEqual(['stalled'])
    await pass(1)
    expect(box.witnesses).toEqual(['stalled', 'bytes discarded', 'reset'])
    expect((await trail(ftCode)).stage).toBe('sent')
    box.fault('no-puback', true)
    box.fault('stray-reply', true)
    box.breaks = [{ at: 'puback', act: () => box.stall(true) }]
    box.stall(false)
    await pass(20_000)
    const ids = announced().map(({ payload }) => idIn(payload))
    expect(ids).toHaveLength(1)
    expect(await trail(ftCode)).toMatchObject({ stage: 'sent' })
    box.stall(false)
    await pass(200_000)
    expect(announced()).toHaveLength(1)
    expect(box.heardAt).toHaveLength(1)
    expect(await trail(ftCode)).toMatchObject({ stage: 'expired', reason: 'unconfirmed' })
    expect(await trail(ftCode)).not.toHaveProperty('mayRepeat')
  },
)

it.each(['clip-numbers', 'morefun', 'openluat', 'ds50'] as const)(
  '%s without a PUBACK says it twice at most: it is marked, and expires as unconfirmed',
  async (kind) => {
    const { box, paid, announced, pass, trail } = await ready(kind)
    box.fault('no-puback', true)
    const ftCode = await paid()
    await pass(200_000)
    expect(announced()).toHaveLength(2)
    // DS50 knows its last id.
    expect(box.heardAt).toHaveLength(kind === 'ds50' ? 1 : 2)
    expect(await trail(ftCode)).toMatchObject({ stage: 'expired', reason: 'unconfirmed', mayRepeat: true })
    // The next payment is spoken.
    box.fault('no-puback', false)
    const next = await paid('70000')
    await pass(30_000)
    expect(box.heardAt.at(-1)).toMatchObject({ amount: '70000' })
    expect(await trail(next)).toMatchObject({ stage: 'delivered', proof: 'none' })
  },
)

it.each(['hemipay', 'alink', 'clip-numbers'] as const)(
  '%s: what answers under the id of another box changes nothing of either',
  async (kind) => {
    const world = await ready(kind)
    const { box, paid, announced, pass, trail, addBox } = world
    const other = await addBox(kind, { serial: 'BOX-2' })
    await other.powerOn()
    await pass(5_000)
    box.fault('no-puback', true)
    box.fault('stray-reply', true)
    const ftCode = await paid()
    const [id] = announced().flatMap(({ payload }) => idIn(payload)?.filter(Boolean) ?? [])
    const content = { response_status: 'success', play_status: 'play_end' }
    const answers = [
      { message_id: id, packet_type: 'rsp_payment', device_sn: box.serial, content },
      { code: 200, data: { result: 0, task_id: id } },
      { code: 200, data: { result: 2, task_id: id } },
    ]
    for (const answer of answers) other.publish(`${box.serial}/pubmsg`, JSON.stringify(answer))
    await pass(1_000)
    expect((await trail(ftCode)).stage).toBe('sent')
    expect(other.witnesses).toEqual([])
    expect(other.heardAt).toEqual([])
  },
)

it.each(['hemipay', 'alink', 'clip-numbers'] as const)(
  "%s: steps of the hub's clock repeat nothing and make nothing late",
  async (kind) => {
    for (const byMs of [HOUR_MS, -HOUR_MS]) {
      const { box, paid, clock, pass, trail } = await ready(kind)
      // One is under way, and two wait for their turn.
      const first = await paid('1000')
      const [second, third] = [await paid('2000'), await paid('3000')]
      clock.set(byMs)
      await pass(300_000)
      clock.set(-byMs)
      await pass(300_000)
      const amounts = box.heardAt.map(({ amount }) => amount)
      expect(new Set(amounts).size).toBe(amounts.length)
      for (const { at } of box.heardAt) expect(at).toBeLessThan(5_000 + 120_000)
      const ended = { '1000': first, '2000': second, '3000': third }
      for (const [amount, ftCode] of Object.entries(ended)) {
        const { stage } = await trail(ftCode)
        expect([amount, stage, amounts.includes(amount)]).toEqual(
          amounts.includes(amount)
            ? [amount, kind === 'alink' ? 'played' : 'delivered', true]
            : [amount, 'expired', false],
        )
      }
      expect(amounts).toContain('1000')
    }
  },
)

it.each(['hemipay', 'alink', 'clip-numbers'] as const)(
  '%s that is locked or released while a payment is under way says no other one, and nothing arrives late',
  async (kind) => {
    for (const how of ['locked', 'released'] as const) {
      const { box, paid, storage, clock, here, clientId, pass, trail } = await ready(kind)
      box.stall(true)
      const [first, second] = [await paid('1000'), await paid('2000')]
      const by = byPartner(clientId)
      if (how === 'locked') await storage.devices.setActive(by, box.serial, false, clock.now())
      else await storage.devices.unregister(by, box.serial, clock.now())
      here.delivery.silence(box.deviceId)
      await pass(60_000)
      box.stall(false)
      await pass(300_000)
      expect(box.witnesses).toContain('bytes discarded')
      expect(box.heardAt).toEqual([])
      for (const ftCode of [first, second]) expect((await trail(ftCode)).stage).toBe('suppressed')
    }
  },
)

it('a payment that a box confirms after it was locked stays as it is', async () => {
  const { box, paid, storage, clock, here, clientId, pass, trail } = await ready('clip-numbers')
  box.stall(true)
  const ftCode = await paid()
  await storage.devices.setActive(byPartner(clientId), box.serial, false, clock.now())
  here.delivery.refresh(box.deviceId)
  box.stall(false)
  await pass(60_000)
  expect(box.heardAt).toHaveLength(1)
  expect((await trail(ftCode)).stage).toBe('suppressed')
})

it.each([
  ['openluat', '100000000'],
  ['hemipay', '1000000000'],
  ['ds50', '10000000000'],
] as const)('%s: an amount above its highest fails as over_limit, and is not sent', async (kind, amount) => {
  const { box, paid, announced, pass, trail } = await ready(kind)
  const ftCode = await paid(amount)
  const next = await paid('5000')
  await pass(30_000)
  expect(await trail(ftCode)).toMatchObject({ stage: 'failed', reason: 'over_limit' })
  expect(announced()).toHaveLength(1)
  expect((await trail(next)).stage).toBe('delivered')
  expect(box.heardAt.map((one) => one.amount)).toEqual(['5000'])
})

it('payments go one after another: the next one waits until the sentence is over', async () => {
  const { box, paid, pass, trail } = await ready('ds50')
  const codes = [await paid('1000'), await paid('22222'), await paid('333333')]
  await pass(60_000)
  expect(box.linesOf('dropped')).toEqual([])
  expect(box.heardAt.map(({ amount }) => amount)).toEqual(['1000', '22222', '333333'])
  for (const ftCode of codes) expect((await trail(ftCode)).stage).toBe('delivered')
})

it('a box of a bank with a report of the end proves the sound, and one without it does not', async () => {
  for (const [playReport, played] of [
    ['play_end', ['play_end']],
    ['play_end', []],
    [undefined, ['play_end']],
  ] as const) {
    const { addBox, pass, pay, trail } = await openBoxWorld()
    const profile = { name: 'bank', played }
    const box = await addBox('hemipay', {
      profile: 'bank',
      change: profile,
      ...(playReport && { playReport }),
    })
    await box.powerOn()
    await pass(5_000)
    const ftCode = await pay(box.terminalID)
    await pass(60_000)
    const isPlayed = playReport !== undefined && played.length > 0
    expect(await trail(ftCode)).toMatchObject(
      isPlayed ? { stage: 'played', proof: 'played' } : { stage: 'delivered', proof: 'accepted' },
    )
    expect(box.heardAt).toHaveLength(1)
  }
})
