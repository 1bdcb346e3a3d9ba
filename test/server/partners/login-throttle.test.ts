import { describe, expect, it } from 'vitest'
import { createLoginThrottle } from '../../../server/partners/login-throttle.ts'
import { createVirtualClock } from '../../support/clock.ts'

const FIVE_MINUTES_MS = 5 * 60_000

const ACME = { clientId: 'acme', network: '192.0.2.1', isClient: true }
const invented = (clientId: string) => ({ clientId, network: '192.0.2.1', isClient: false })

function failing(times: number) {
  const clock = createVirtualClock()
  const throttle = createLoginThrottle(clock)
  for (let count = 0; count < times; count += 1) throttle.failed(ACME)
  return { clock, throttle }
}

describe('the login throttle', () => {
  it('blocks the tenth failure for the rest of five minutes, in whole seconds', async () => {
    const { clock, throttle } = failing(9)
    expect([throttle.failed(ACME), throttle.failed(ACME)]).toEqual([0, 300])
    await clock.wind(FIVE_MINUTES_MS - 1)
    expect(throttle.failed(ACME)).toBe(1)
    await clock.wind(1)
    expect(throttle.failed(ACME)).toBe(0)
  })

  it('counts failures of the last five minutes', async () => {
    const { clock, throttle } = failing(5)
    await clock.wind(60_000)
    for (let count = 0; count < 5; count += 1) throttle.failed(ACME)
    expect(throttle.failed(ACME)).toBe(240)
    await clock.wind(240_000)
    for (let count = 0; count < 5; count += 1) expect(throttle.failed(ACME)).toBe(0)
    expect(throttle.failed(ACME)).toBe(60)
  })

  it('blocks only that client', () => {
    expect(failing(10).throttle.failed({ ...ACME, clientId: 'other' })).toBe(0)
  })

  it('blocks only that network: the guesses of one leave another its own', () => {
    expect(failing(10).throttle.failed({ ...ACME, network: '192.0.2.2' })).toBe(0)
  })

  it('stays bounded under invented ids: it drops the client that failed longest ago', () => {
    const { throttle } = failing(0)
    for (let count = 0; count < 10; count += 1) throttle.failed(invented('first'))
    expect(throttle.failed(invented('first'))).toBeGreaterThan(0)
    for (let name = 0; name < 10_000; name += 1) throttle.failed(invented(`made up ${name}`))
    expect(throttle.failed(invented('first'))).toBe(0)
    for (let count = 0; count < 9; count += 1) throttle.failed(invented('made up 9999'))
    expect(throttle.failed(invented('made up 9999'))).toBeGreaterThan(0)
  })

  it('drops no failure of a real client, however many ids are invented', () => {
    const { throttle } = failing(9)
    for (let name = 0; name < 20_000; name += 1) throttle.failed(invented(`made up ${name}`))
    throttle.failed(ACME)
    expect(throttle.failed(ACME)).toBeGreaterThan(0)
  })
})
