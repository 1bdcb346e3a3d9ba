import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import type { DeviceRecords } from '../../../server/devices/ports.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { type BrokerDeps, createBroker } from '../../../server/mqtt/aedes.ts'
import { createMqttServer, type ListenerDeps } from '../../../server/mqtt/listeners.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createLog } from '../../../server/platform/log.ts'
import { readNetworks } from '../../../server/platform/net/address.ts'
import { OPERATOR } from '../actors.ts'
import { createVirtualClock } from '../clock.ts'
import { createTestCore } from '../core.ts'
import { listening } from '../listening.ts'
import { openTestStorage } from '../storage.ts'

/** A broker on a clock that a test winds, which believes the proxies of a network, with whom it has let in, its refusals and its log. */
export async function serveBroker({
  trusted = '',
  devices: changes = {},
  connectsPerSecond = 1_000,
  listen = createMqttServer,
  ...deps
}: {
  trusted?: string
  listen?: (deps: ListenerDeps) => Server
  /** In place of the storage's own. */
  devices?: Partial<DeviceRecords>
} & Partial<Pick<BrokerDeps, 'connectsPerSecond' | 'places'>>) {
  const { storage, vault } = openTestStorage()
  const [clock, ids, lines] = [createVirtualClock(), createRandomIds(), [] as string[]]
  const log = createLog('debug', { write: (line) => void lines.push(line) })
  const devices = { ...storage.devices, ...changes }
  const { gate, delivery } = createTestCore({ storage: { ...storage, devices }, vault, clock, ids, log })
  const refused: string[] = []
  const metrics = { mqttRefused: (reason: string) => void refused.push(reason) }
  const broker = await createBroker({ gate, clock, metrics, connectsPerSecond, log, ...deps })
  const trustsProxy = readNetworks(trusted)
  const admitted: string[] = []
  const admit: typeof broker.admit = (socket, address) => {
    admitted.push(address)
    return broker.admit(socket, address)
  }
  const served = { ...broker, admit }
  const server = listen({ broker: served, clock, ...(trustsProxy && { trustsProxy }) })
  onTestFinished(() => broker.close())
  const mint = async (serial: string) => {
    const device = await mintDevice({ by: OPERATOR, devices, loginHash: sb1.loginHash, clock, ids }, serial)
    if (!device) throw new Error('the serial is taken')
    return device
  }
  const said = (message: string) =>
    lines.map((line) => Object(JSON.parse(line))).filter(({ msg }) => msg === message)
  return {
    url: `mqtt://${await listening(server)}`,
    broker,
    clock,
    storage,
    delivery,
    mint,
    admitted,
    refused,
    said,
  }
}
