import { describe, expect, it } from 'vitest'
import { downTopic, upTopic } from '../../../protocol/topics.ts'
import type { Connection } from '../../../server/mqtt/connection.ts'
import { birthOf, connectTo, gateWorld, upPacket } from '../../support/mqtt/gate.ts'

const TELEMETRY = { topic: upTopic('SB-0001', 'telemetry'), qos: 0, retain: false, payload: '{}' }

describe('sb/1 4.2: a connection without a birth', () => {
  it.each([
    ['that says nothing', () => undefined],
    ['that has subscribed', (one: Connection) => one.subscribe({ topic: downTopic('SB-0001'), qos: 1 })],
    ['that sends telemetry', (one: Connection) => one.publish(TELEMETRY)],
  ])(
    '%s is closed after a minute, whatever the clock is set to and however often it pings',
    async (_, act) => {
      const { gate, clock, minted, refused, said } = await gateWorld()
      const { seen, connection } = await connectTo(gate, minted, 1)
      await act(connection)
      clock.set(-3_600_000)
      await clock.wind(59_999)
      connection.ping()
      expect(seen.closed).toBe(false)
      await clock.wind(1)
      expect(seen.closed).toBe(true)
      expect(refused).toEqual(['no_birth'])
      expect(said()).toMatchObject([
        { msg: 'device connected' },
        { level: 'warn', msg: 'connection closed', serial: 'SB-0001', why: 'no birth in time' },
        { msg: 'device disconnected' },
      ])
    },
  )

  it('is left alone from its birth on', async () => {
    const { gate, clock, minted } = await gateWorld()
    const { seen, connection } = await connectTo(gate, minted, 1)
    connection.subscribe({ topic: downTopic('SB-0001'), qos: 1 })
    await clock.wind(59_999)
    expect(await connection.publish(upPacket(minted, 1, 1, birthOf(1)))).toBe(true)
    await clock.wind(600_000)
    expect(seen.closed).toBe(false)
  })

  it('is waited for no longer when it has ended', async () => {
    const { gate, clock, minted, said } = await gateWorld()
    const { seen, connection } = await connectTo(gate, minted, 1)
    connection.closed()
    await clock.wind(60_000)
    expect([seen.closed, said().map(({ msg }) => msg)]).toEqual([
      false,
      ['device connected', 'device disconnected'],
    ])
  })
})
