import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openDataFolder } from '../../server/storage/sqlite/file/data-folder.ts'
import { startTestHub, type TestHub } from '../support/hub.ts'
import { bornDevice } from '../support/mqtt/mqtt-device.ts'

async function readiness(hub: TestHub): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${hub.http}/readyz`)
  return { status: response.status, body: await response.json() }
}

it('is not ready while nothing can be written, and again when it can', async () => {
  const hub = await startTestHub()
  expect(await readiness(hub)).toEqual({ status: 200, body: { status: 'ready' } })
  // A table that is gone fails the write as a full disk does.
  const other = new Database(`${hub.dataDir}/hub.db`)
  other.exec('ALTER TABLE vault_canary RENAME TO away')
  expect(await readiness(hub)).toEqual({ status: 503, body: { status: 'not ready', reason: 'storage' } })
  other.exec('ALTER TABLE away RENAME TO vault_canary').close()
  expect(await readiness(hub)).toMatchObject({ status: 200 })
})

const REPORT = {
  ...{ battery: 3, charging: true, signal: -61, volume: 70, queue: 0 },
  health: { reset: 'solar flare', uptime: 60, crashes: 2, modem: 'no carrier' },
}

it('knows who is connected, and keeps what speakers have last reported when it stops', async () => {
  const hub = await startTestHub()
  const { startedAt } = openDataFolder(hub.dataDir).readAddresses() ?? {}
  const device = await hub.device('SB-0001')
  const born = await bornDevice(hub.mqtt, device)
  await born.publish('telemetry', Buffer.from(JSON.stringify(REPORT)))
  // Its PUBACK tells that the telemetry before it was read.
  await born.ack(await born.next('welcome'), 'received')
  const { lists } = hub.storage
  expect(await lists.devices.find('SB-0001', startedAt)).toMatchObject({ connected: true, health: undefined })

  await hub.stop()
  const { connected, leftAt, health, runtime } = (await lists.devices.find('SB-0001', startedAt)) ?? {}
  expect(connected).toBe(false)
  expect(leftAt).toBeGreaterThan(Number(startedAt))
  expect(health).toMatchObject({ battery: 3, charging: true, signal: -61, volume: 70, queue: 0 })
  expect(runtime).toMatchObject(REPORT.health)
})
