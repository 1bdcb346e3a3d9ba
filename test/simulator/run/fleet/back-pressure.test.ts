import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createFleet } from '../../../../simulator/run/fleet/run/fleet.ts'
import { settle } from '../../../support/clock.ts'
import { listenOnFreePort } from '../../../support/listen.ts'
import { until } from '../../../support/wait.ts'
import { WoundClock } from '../../support/wound-clock.ts'

/** A hub that accepts connections and never answers. */
async function deafHub() {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
  })
  onTestFinished(() => void server.close())
  return { url: `mqtt://127.0.0.1:${await listenOnFreePort(server)}`, sockets }
}

it('starts no further speaker while a hundred are connecting, and the next one after a timeout', async () => {
  const hub = await deafHub()
  const clock = new WoundClock()
  const devices = Array.from({ length: 150 }, (_, index) => ({
    serial: `DEAF-${index}`,
    key: randomBytes(32),
  }))
  const fleet = createFleet({ devices, url: hub.url, connectRate: 1_000, clock, random: () => 0.5 })
  onTestFinished(() => fleet.cut())
  const { links } = fleet.roster.totals
  const pass = async (ticks: number) => {
    for (let tick = 0; tick < ticks; tick += 1) {
      clock.wind(20)
      await settle()
    }
  }
  fleet.start()
  await until('a hundred connections', async () => {
    await pass(1)
    return hub.sockets.length >= 100 || undefined
  })
  await pass(100)
  expect(links).toMatchObject({ connecting: 100, new: 50 })
  expect(fleet.startsWithinS()).toBeCloseTo(0.05, 1)

  for (const socket of hub.sockets.slice(0, 10)) socket.destroy()
  await until('ten that gave up', () => links.offline === 10 || undefined)
  await pass(1)
  expect(links.new).toBe(40)
})
