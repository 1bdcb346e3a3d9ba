import { expect, it } from 'vitest'
import { disturbances, parseProcessors } from './machine.ts'

const STAT = `cpu  100 10 50 800 20 5 5 10 40 0
cpu0 50 5 25 400 10 2 2 5 20 0
`

it('reads the time of all processors, with guests counted once', () => {
  expect(parseProcessors(STAT)).toEqual({ all: 10_000, steal: 100, busy: 1_700 })
})

const BEFORE = { all: 500, steal: 50, busy: 300, own: 100 }

it.each([
  { steal: 100, other: 100, values: ['10.0 %', '10.0 %'], warning: undefined },
  { steal: 101, other: 0, values: ['10.1 %', '0.0 %'], warning: '10.1 % by the host (steal)' },
  { steal: 0, other: 250, values: ['0.0 %', '25.0 %'], warning: '25.0 % by other programs and the kernel' },
])('a run with $values taken by others', ({ steal, other, values, warning }) => {
  const after = { all: 1_500, steal: 50 + steal, busy: 300 + 400 + other, own: 100 + 400 }
  const measured = disturbances(BEFORE, after)
  expect(measured.figures.map(({ value }) => value)).toEqual(values)
  expect(measured.warning).toBe(warning && `Time of the processors was taken: ${warning}. Repeat this run.\n`)
})
