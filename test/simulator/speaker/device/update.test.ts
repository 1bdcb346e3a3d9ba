import { expect, it } from 'vitest'
import { DeviceBench, eventsIn } from '../../support/device-bench.ts'

const OFFER = { fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) }

function offered(config: ConstructorParameters<typeof DeviceBench>[0] = {}): DeviceBench {
  const bench = new DeviceBench(config)
  bench.connect()
  bench.send('update', OFFER)
  return bench
}

/** What it shows. */
const shown = ({ effects }: DeviceBench) =>
  eventsIn(effects).flatMap((event) => (event.event === 'update' ? [event] : []))

/** What it tells the hub. */
const told = ({ effects }: DeviceBench) =>
  effects.flatMap((effect) =>
    effect.type === 'publish' && effect.message.kind === 'telemetry'
      ? (effect.message.body.update ?? [])
      : [],
  )

it('sb/1 18.3: tells how far it is, and says the new version in its next birth', () => {
  const bench = offered()
  bench.wind(59_999)
  expect(shown(bench).map(({ state, percent }) => [state, percent])).toEqual([
    ...[0, 20, 40, 60, 80].map((percent) => ['downloading', percent]),
    ['installing', undefined],
  ])
  expect(told(bench).map(({ percent }) => percent)).toEqual([0, 20, 40, 60, 80])
  bench.wind(1)
  expect(bench.effects.at(-1)).toEqual({ type: 'restart' })
  expect(bench.stored.firmware).toBe('2.0')
  bench.powerCut()
  expect(bench.open()).toMatchObject([{ message: { kind: 'birth', body: { fw: '2.0' } } }])
})

it('sb/1 18.4: does not restart while an announcement sounds', () => {
  const bench = offered()
  bench.wind(58_000)
  bench.announce('9021021021021')
  bench.wind(3_000)
  expect(bench.effects).not.toContainEqual({ type: 'restart' })
  bench.wind(30_000)
  expect(bench.effects).toContainEqual({ type: 'restart' })
})

it('sb/1 18.5: does not begin again when the offer comes again', () => {
  const bench = offered()
  bench.wind(25_000)
  bench.send('update', OFFER)
  expect(shown(bench).map(({ percent }) => percent)).toEqual([0, 20, 40])
})

it('sb/1 18.3: fails to download from a host without an address, and goes on', () => {
  const bench = new DeviceBench()
  bench.connect()
  bench.send('update', { ...OFFER, url: 'http://kit.invalid/image.bin' })
  expect(shown(bench)).toEqual([{ event: 'update', fw: '2.0', state: 'failed' }])
  bench.wind(60_000)
  expect(shown(bench)).toHaveLength(1)
})

it('sb/1 18.3: declines an offer that it does not want, once', () => {
  const bench = offered({ declinesUpdates: true })
  bench.send('update', OFFER)
  bench.wind(10_000)
  expect(shown(bench)).toHaveLength(1)
  expect(told(bench)).toEqual([{ fw: '2.0', state: 'declined' }])
})

it('sb/1 8.9: tells of several offers in one telemetry, 10 s after the last', () => {
  const bench = new DeviceBench()
  bench.connect()
  for (const fw of ['2.0', '3.0', '4.0'])
    bench.send('update', { ...OFFER, fw, url: 'http://kit.invalid/image.bin' })
  bench.wind(9_999)
  expect(told(bench)).toEqual([])
  bench.wind(1)
  expect(told(bench)).toEqual([{ fw: '4.0', state: 'failed' }])
})
