import { describe, expect, it, vi } from 'vitest'
import { OPEN_AT_ONCE } from '../../../server/announcements/ports.ts'
import { HubError } from '../../../server/platform/errors.ts'
import { settle } from '../../support/clock.ts'
import { openStage, quietStage, type Stage } from './stage.ts'

const HANGS_MS = 20_000
const SETTINGS = { ver: 1, volume: 60, lang: 'vi' } as const
const MANY = OPEN_AT_ONCE + 7

it('says once that the storage is away, however long it is', async () => {
  const { storage, clock, warnings } = await openStage()
  const expire = vi.spyOn(storage.outbox, 'expire').mockRejectedValue(new HubError('UNAVAILABLE'))
  await clock.wind(60_000)
  expect(expire.mock.calls.length).toBeGreaterThan(30)
  expect(warnings.map((line) => JSON.parse(line).msg)).toEqual([
    'the storage is away: requests get 503 until it is back',
  ])
  expire.mockRestore()
  await clock.wind(2_000)
  vi.spyOn(storage.outbox, 'expire').mockRejectedValue(new HubError('UNAVAILABLE'))
  await clock.wind(2_000)
  expect(warnings).toHaveLength(2)
})

/** One act of the storage gets no answer until `goOn`. The first call is carried out, or is lost. */
async function hang({ storage, circuit }: Stage, port: string, name: string, isCarriedOut: boolean) {
  const back = Promise.withResolvers<void>()
  const cut = Promise.withResolvers<never>()
  cut.promise.catch(() => undefined)
  const asked = Promise.withResolvers<void>()
  let [isHung, isFirst] = [true, true]
  circuit.onAway(() => cut.reject(new HubError('UNAVAILABLE')))
  circuit.watch(async () => {
    if (!isFirst) await back.promise
    isFirst = false
  })
  await settle()
  const acts = Object(storage)[port]
  const act = acts[name]
  acts[name] = (...args: unknown[]) =>
    circuit.pass(async () => {
      if (!isHung) return act(...args)
      asked.resolve()
      if (isCarriedOut) await act(...args)
      return cut.promise
    })
  return {
    /** Resolves when the act was called. */
    asked: asked.promise,
    goOn() {
      isHung = false
      back.resolve()
    },
  }
}

const OUTBOX = 'nextNumber markSent isOpen take recordAck open missed markMissedShown screen'
const ACTS = [['settings', 'report'] as const, ...OUTBOX.split(' ').map((name) => ['outbox', name] as const)]

describe.each(
  ACTS.flatMap(([port, name]) => [true, false].map((isCarriedOut) => ({ port, name, isCarriedOut }))),
)('a storage that hangs in $port.$name, carried out: $isCarriedOut', ({ port, name, isCarriedOut }) => {
  it('costs a connected speaker nothing but the wait', async () => {
    const { stage, line } = await quietStage()
    await stage.pay('1')
    const hung = await hang(stage, port, name, isCarriedOut)

    const live = async () => {
      await line.ack(line.last(), 'failed', 'unsupported')
      await stage.delivery.receive(line.session, { kind: 'settings', settings: SETTINGS })
      await stage.putBill()
      for (let amount = 2; amount <= MANY; amount += 1) await stage.pay(String(amount))
      await line.obey()
    }
    const life = live()
    await hung.asked
    await stage.clock.wind(HANGS_MS)
    expect(line.state.closed).toBe(false)
    hung.goOn()
    await stage.clock.wind(1_000)
    await life
    await line.obey()

    const amounts = line.ofType('announce').map(({ command }) => Number(Object(command.d).amount))
    // A command without an ack is sent again.
    expect([...new Set(amounts)]).toEqual(Array.from({ length: MANY }, (_, index) => index + 1))
    expect(line.types()).toContain('qr')
    expect(line.ofType('missed').at(-1)?.command.d).toMatchObject({ count: 1, amount: '1' })
    expect([line.state.closed, stage.warnings]).toEqual([false, []])
  })
})
