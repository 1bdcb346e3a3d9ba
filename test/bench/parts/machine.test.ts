import { expect, it } from 'vitest'
import { parseProcessors, stealFigure } from './machine.ts'

const STAT = `cpu  100 10 50 800 20 5 5 10 40 0
cpu0 50 5 25 400 10 2 2 5 20 0
`

it('reads the time of all processors, with guests counted once', () => {
  expect(parseProcessors(STAT)).toEqual({ all: 1000, steal: 10 })
})

it.each([
  { steal: 100, value: '10.0 %', warning: undefined },
  {
    steal: 101,
    value: '10.1 %',
    warning: "The host took 10.1 % of the processors' time: repeat this run.\n",
  },
])('a run with $value of steal', ({ steal, value, warning }) => {
  const measured = stealFigure({ all: 500, steal: 50 }, { all: 1500, steal: 50 + steal })
  expect(measured.figure.value).toBe(value)
  expect(measured.warning).toBe(warning)
})
