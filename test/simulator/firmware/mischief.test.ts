import { expect, it } from 'vitest'
import { NO_FAULTS } from '../../../simulator/firmware/modem/faults.ts'
import {
  isMischief,
  isWeather,
  MISCHIEF,
  randomFaults,
  WEATHER,
  without,
} from '../../../simulator/firmware/modem/mischief.ts'
import { ModemBench } from './modem-bench.ts'

/** What goes wrong in ten minutes, with the seconds. */
function faultsOf(seed: number): string[] {
  const bench = new ModemBench().connected()
  const start = bench.clock.now()
  const said: string[] = []
  randomFaults(bench.modem, {
    ...{ clock: bench.clock, seed, everyMs: 1_000 },
    onFault: (what) => said.push(`${bench.clock.now() - start} ${what}`),
  })
  bench.wait(600_000)
  return said
}

it('lets the same go wrong for the same seed, and everything in ten minutes', () => {
  expect(faultsOf(7)).toEqual(faultsOf(7))
  expect(faultsOf(7)).not.toEqual(faultsOf(8))
  const names = new Set(faultsOf(7).map((what) => what.split(' ')[1]))
  expect(names).toEqual(new Set([...Object.keys(MISCHIEF), ...Object.keys(WEATHER)]))
})

it('leaves nothing wrong at its end', () => {
  const bench = new ModemBench().connected()
  const stop = randomFaults(bench.modem, { clock: bench.clock, seed: 7, everyMs: 1_000 })
  bench.wait(60_000)
  stop()
  const lasting = Object.keys(WEATHER).filter(isWeather).map(without)
  expect(bench.modem.faults).toMatchObject(Object.assign({}, ...lasting))
  const before = bench.modem.faults
  bench.wait(60_000)
  expect(bench.modem.faults).toEqual(before)
})

it('ends a state with the values of a module without faults', () => {
  for (const name of Object.keys(WEATHER).filter(isWeather)) {
    const bench = new ModemBench()
    bench.modem.set(WEATHER[name])
    expect(bench.modem.faults).not.toEqual(NO_FAULTS)
    bench.modem.set(without(name))
    expect(bench.modem.faults).toEqual(NO_FAULTS)
  }
})

it('knows its names', () => {
  expect(isMischief('reset')).toBe(true)
  expect(isMischief('toString')).toBe(false)
  expect(isWeather('constructor')).toBe(false)
})
