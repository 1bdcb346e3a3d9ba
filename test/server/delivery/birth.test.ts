import { expect, it, vi } from 'vitest'
import { byPartner } from '../../../server/security/actor.ts'
import { settle } from '../../support/clock.ts'
import { type Line, openStage, quietLine, quietStage, type Stage } from './stage.ts'

/** Lets something happen when the next session has begun in the storage, before the hub hears of it. */
function meanwhile(stage: Stage, act: () => Promise<unknown>) {
  const { begin } = stage.storage.outbox
  return vi.spyOn(stage.storage.outbox, 'begin').mockImplementationOnce(async (...args) => {
    const start = await begin(...args)
    await act()
    await settle()
    return start
  })
}

it('one act stores a birth and numbers its welcome and its screen; acks of commands that are no announcements need none', async () => {
  const stage = await openStage()
  const { outbox } = stage.storage
  const begin = vi.spyOn(outbox, 'begin')
  const others = (['nextNumber', 'open', 'missed', 'screen', 'recordAck'] as const).map((name) =>
    vi.spyOn(outbox, name),
  )
  const line = await quietLine(stage)
  expect(line.types()).toEqual(['welcome', 'profile'])
  expect(begin).toHaveBeenCalledOnce()
  for (const other of others) expect(other).not.toHaveBeenCalled()
})

it('sb/1 7.6: a code that comes before the screen of a birth has the lower number', async () => {
  const stage = await openStage()
  const line = stage.connect()
  await line.born()
  void stage.delivery.showCode(stage.speaker.deviceId, '123456', stage.clock.now() + 60_000)
  await line.obey()
  expect(line.types()).toEqual(['welcome', 'code', 'profile'])
  const numbers = line.heard().map(({ command }) => command.n)
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
})

it('sb/1 11.7: a second birth of a session is welcomed under a higher number', async () => {
  const stage = await openStage()
  const line = stage.connect()
  await line.born()
  await line.born()
  await line.obey()
  const [first, second] = line.ofType('welcome')
  expect(second?.command.n).toBeGreaterThan(first?.command.n ?? Number.POSITIVE_INFINITY)
})

it.each<{
  what: string
  /** A payment has come before. */
  isPaid?: boolean
  act: (stage: Stage) => Promise<unknown>
  says: (line: Line) => unknown
  is: unknown
}>([
  {
    what: 'a payment is announced',
    act: (stage) => stage.pay(),
    says: (line) => line.ofType('announce').length,
    is: 1,
  },
  {
    what: 'a bill is shown',
    act: (stage) => stage.putBill(),
    says: (line) => line.types(),
    is: ['welcome', 'profile', 'qr'],
  },
  {
    what: 'the speaker is locked: nothing is announced that was open',
    isPaid: true,
    async act({ lock, delivery, speaker }) {
      await lock()
      delivery.silence(speaker.deviceId)
    },
    says: (line) => line.ofType('announce'),
    is: [],
  },
  {
    what: 'the speaker is released: the welcome says so',
    async act({ release, delivery, speaker }) {
      await release()
      delivery.silence(speaker.deviceId)
      delivery.refresh(speaker.deviceId)
    },
    says: (line) => [line.types(), line.heard()[0]?.command.d],
    is: [['welcome', 'profile'], expect.objectContaining({ linked: false })],
  },
  {
    what: 'a payment expires: it is shown as missed',
    isPaid: true,
    act: ({ clock }) => clock.wind(200_000),
    says: (line) => line.types(),
    is: ['welcome', 'profile', 'missed'],
  },
  {
    what: 'the operator gives the speaker a new key',
    act: ({ give }) => give('key'),
    says: (line) => line.ofType('rekey').length,
    is: 1,
  },
])('while a device is being born, $what', async ({ isPaid, act, says, is }) => {
  const stage = await openStage()
  if (isPaid) await stage.pay()
  meanwhile(stage, () => act(stage))
  const line = stage.connect()
  await line.born({ caps: ['rekey'] })
  await line.obey()
  expect(says(line)).toEqual(is)
})

it('while a device is being born, the bill on its screen is paid: the bill is not shown again', async () => {
  const stage = await openStage()
  const billId = await stage.putBill('B1')
  meanwhile(stage, async () => {
    await stage.pay('50000', { billNumber: 'B1' })
    stage.delivery.clearBill([stage.speaker.deviceId], billId)
  })
  const line = stage.connect()
  await line.born()
  await line.obey()
  expect(line.types()).not.toContain('qr')
  expect(line.types()).toContain('announce')
})

it('while a device is being born, the clock is set back: it waits until the step is stored', async () => {
  const stage = await openStage()
  await stage.pay()
  await stage.clock.wind(110_000)
  meanwhile(stage, async () => {
    stage.clock.set(-60_000)
    await stage.clock.wind(1_000)
  })
  const line = stage.connect()
  await line.born()
  await line.obey()
  expect(line.ofType('welcome')).toHaveLength(1)
  const announced = line.ofType('announce')
  expect(announced).not.toEqual([])
  for (const { command } of announced) expect(command.ttl).toBeLessThanOrEqual(10)
})

it('while a device is being born, it is born once more in its session: the newer birth is welcomed', async () => {
  const stage = await openStage()
  const line = stage.connect()
  meanwhile(stage, () => line.born({ bufferBytes: 2_048 }))
  await line.born({ bufferBytes: 256 })
  await line.obey()
  expect(line.types()).toEqual(['welcome', 'profile'])
})

it('while a device is being born, its connection ends: it is sent nothing', async () => {
  const stage = await openStage()
  const line = stage.connect()
  meanwhile(stage, async () => stage.delivery.leave(line.session))
  await line.born()
  expect(line.types()).toEqual([])
})

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'the hub hears of a change %i turns of promises after a birth that did not see it: the speaker gets it',
  async (turns) => {
    const stage = await openStage()
    const { storage, shop, clientId, speaker, clock, delivery } = stage
    const { serial, deviceId, storeId } = speaker
    const change = (volume: number) =>
      storage.settings.change(byPartner(clientId), serial, { volume }, clock.now())
    await storage.settings.report(deviceId, { ver: 1, volume: 10, lang: 'vi' }, 0)
    await change(20)
    const { begin } = storage.outbox
    vi.spyOn(storage.outbox, 'begin').mockImplementationOnce(async (...args) => {
      const start = await begin(...args)
      await change(30)
      await storage.bills.put(
        clientId,
        shop.bill(storeId, { shownUntil: clock.now() + 900_000 }),
        clock.now(),
      )
      void (async () => {
        for (let turn = 0; turn < turns; turn += 1) await undefined
        delivery.configure(deviceId, { ver: 3, volume: 30, lang: 'vi' })
        delivery.refresh(deviceId)
      })()
      return start
    })
    const line = stage.connect()
    await line.born({ settingsVersion: 1 })
    await line.obey()
    expect(line.types()).toContain('qr')
    expect(line.ofType('settings').at(-1)?.command.d).toMatchObject({ ver: 3, volume: 30 })
  },
)

it('sb/1 7.1: while a device is being born once more, it is sent nothing; the screen comes under a higher number than a code', async () => {
  const { stage, line } = await quietStage()
  const before = line.types().length
  meanwhile(stage, async () => {
    void stage.delivery.showCode(stage.speaker.deviceId, '123456', stage.clock.now() + 60_000)
    await stage.pay()
    await settle()
    expect(line.types()).toHaveLength(before)
  })
  await line.born()
  await line.obey()
  const since = line.heard().slice(before)
  expect(since.map(({ command }) => command.t)).toEqual(['welcome', 'code', 'announce', 'profile'])
  const [, code, , profile] = since
  expect(profile?.command.n).toBeGreaterThan(code?.command.n ?? Number.POSITIVE_INFINITY)
})

it('a birth that comes behind the end of its session is not stored: its device has begun another one', async () => {
  const stage = await openStage()
  const line = stage.connect()
  stage.delivery.leave(line.session)
  const begin = vi.spyOn(stage.storage.outbox, 'begin')
  await line.born()
  expect(begin).not.toHaveBeenCalled()
})

it('a birth and a set clock come at the same moment: the session begins with the birth', async () => {
  for (let turns = 0; turns < 4; turns += 1) {
    const stage = await openStage()
    const line = await quietLine(stage, stage.speaker, 2_048)
    await stage.putBill('B1', 'Q'.repeat(300))
    await line.obey()
    const before = line.types().length
    stage.clock.set(-60 * 60_000)
    stage.delivery.announce([], '', stage.clock.now())
    for (let turn = 0; turn < turns; turn += 1) await undefined
    await line.born({ bufferBytes: 300 })
    await line.obey()
    const since = line.heard().slice(before)
    expect(since.map(({ command }) => command.t)).toContain('welcome')
    for (const { bytes } of since) expect(bytes).toBeLessThanOrEqual(300)
  }
})
