import { expect, it } from 'vitest'
import { afterFailure, type Circuit, CLOSED } from '../../../../server/webhooks/send/endpoint/circuit.ts'

const ELAPSED = 1_000
const AT = 5_000

/** The circuit after so many failures, each of which ended at `ELAPSED`. */
function failed(times: number, { from = CLOSED, isProbe = false, askedMs = 0 } = {}): Circuit {
  const failure = { attempt: { at: AT, ms: 100 }, askedMs, isProbe, elapsed: ELAPSED }
  let circuit: Circuit = from
  for (let n = 0; n < times; n += 1) circuit = afterFailure(circuit, failure, () => 0.5)
  return circuit
}

it('opens with the tenth failure in a row, and is probed after the first delay of the schedule', () => {
  expect(failed(9)).toEqual({ isOpen: false, failures: 9 })
  expect(failed(10)).toEqual({
    ...{ isOpen: true, step: 1 },
    ...{ probeAt: ELAPSED + 5_000, storedProbeAt: AT + 100 + 5_000 },
  })
})

it('waits longer after each probe that fails, at most five minutes, and not after other failures', () => {
  const opened = failed(10)
  const waits = [1, 2, 3, 4].map((probes) => {
    const circuit = failed(probes, { from: opened, isProbe: true })
    return circuit.isOpen && circuit.probeAt - ELAPSED
  })
  expect(waits).toEqual([60_000, 300_000, 300_000, 300_000])
  expect(failed(3, { from: opened })).toBe(opened)
})

it('waits as long as the endpoint asks, but no longer than five minutes', () => {
  const waitOf = (askedMs: number) => {
    const circuit = failed(10, { askedMs })
    return circuit.isOpen && circuit.probeAt - ELAPSED
  }
  expect([1, 60_000, 900_000].map(waitOf)).toEqual([5_000, 60_000, 300_000])
})
