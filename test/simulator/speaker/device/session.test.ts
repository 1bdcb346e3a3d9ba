import { describe, expect, it } from 'vitest'
import { TELEMETRY_MS } from '../../../../simulator/speaker/device/session.ts'
import type { Effect } from '../../../../simulator/speaker/device/state/effects.ts'
import { DeviceBench, eventsIn } from '../../support/device-bench.ts'

describe('the session', () => {
  it('publishes telemetry after the welcome and every 30 seconds, only while it is connected', () => {
    const bench = new DeviceBench()
    const sent = (effects: Effect[]) =>
      effects.filter((effect) => effect.type === 'publish' && effect.message.kind === 'telemetry').length
    expect(sent(bench.connect())).toBe(1)
    expect(sent(bench.wind(3 * TELEMETRY_MS))).toBe(3)
    bench.lose()
    expect(sent(bench.wind(3 * TELEMETRY_MS))).toBe(0)
  })

  it.each([
    [{ end: { reason: 'gone' }, retryInMs: undefined }, true, { event: 'disconnected', reason: 'gone' }],
    [{ end: { reason: 'cut' }, retryInMs: undefined }, false, undefined],
  ])('reports its end: %o', (closed, connected, event) => {
    const bench = new DeviceBench()
    if (connected) bench.connect()
    expect(eventsIn(bench.event({ type: 'closed', ...closed }))[0]).toEqual(event)
  })
})
