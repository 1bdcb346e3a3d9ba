import { expect, it } from 'vitest'
import { watchStall } from '../../../../simulator/browser/platform/stall.ts'

it.each<[string, (number | undefined)[], boolean[]]>([
  ['goes on while time does', [0, 1, 2], [false, false, false]],
  ['stalls while time stands still', [1, 1, 1, 2], [false, true, true, false]],
  ['does not stall while it does not run', [1, undefined, undefined], [false, false, false]],
  ['does not stall as it begins', [undefined, 0, 1], [false, false, false]],
  ['does not stall as it goes on after a call', [1, undefined, 1, 2], [false, false, false, false]],
  ['stalls when it has begun and time has not', [undefined, 0, 0], [false, false, true]],
])('an output %s', (_, times, stalled) => {
  expect(times.map(watchStall())).toEqual(stalled)
})
