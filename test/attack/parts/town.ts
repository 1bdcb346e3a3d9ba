import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Database from 'better-sqlite3'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { type Memory, memory, TELLING_MEMORY } from '../../bench/parts/memory.ts'
import { makeShops, type Shop } from '../../force/parts/world.ts'
import { OPERATOR } from '../../support/actors.ts'
import { type OnEnd, temporaryFolder } from '../../support/folder.ts'
import { accessTokenOf } from '../../support/http/access-token.ts'
import { makeCertificate } from '../../support/processes/certificate.ts'
import { startOwnHub } from '../../support/processes/own-hub.ts'
import { startShippedHaproxy } from '../../support/processes/shipped-haproxy.ts'
import { storageOptions } from '../../support/storage-options.ts'
import type { Target, TargetDevice } from '../gang/target.ts'
import { addBacklog } from './backlog.ts'
import { openVictim, type Victim } from './victim.ts'

const MAIN = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))
const LAUNCH = [process.execPath, ...TELLING_MEMORY, MAIN]
/** The default of the hub, which `startOwnHub` raises. */
const AS_DEFAULT = { HUB_MQTT_CONNECTS_PER_SECOND: '200' }

/**
 * The victim's shops. Why several: a speaker takes one command at a time, so one for all payments would measure their
 * queue.
 */
const SHOPS = 5
/** The victim's speakers that come and go: more than are on their way at a time when each is welcomed in time. */
const VISITORS = 40
/** The neighbour's shops whose speakers are off, whose speakers take part in attacks, and that have a backlog. */
const TILLS = 20
const DEVICES = 10

export interface TownOptions {
  /** The number of speakers with a backlog, and of the payments that each has missed. */
  backlog: { speakers: number; missed: number }
  /** Everybody comes through the HAProxy of deploy/. */
  isProxied?: boolean
}

/** A hub in its own process with its default settings, the victim, and the neighbour whose keys the attackers have. */
export interface Town {
  pid: number
  /** Where the hub's figures are. */
  admin(): string
  victim: Victim
  /** The number of the payment that was recorded last: of all, or of the victim's. They rise by one. */
  lastRecorded: Record<'all' | 'victims', () => number>
  target: Target
  /** The hub's memory after a garbage collection. */
  memory(): Promise<Memory>
}

export async function openTown({ backlog, isProxied = false }: TownOptions, onEnd: OnEnd): Promise<Town> {
  const dataDir = temporaryFolder(onEnd)
  const file = join(dataDir, 'hub.db')
  const ids = createRandomIds()
  const masterKey = ids.deviceKey()
  const vault = createVault(masterKey)
  const storage = openSqliteStorage(file, storageOptions({ vault, ids }))
  onEnd(() => storage.close())

  const manage = { by: OPERATOR, partners: storage.partners, clock: systemClock, ids }
  const [victim, neighbour] = [
    await createPartner(manage, 'Victim'),
    await createPartner(manage, 'Neighbour'),
  ]
  const shops = await makeShops(storage, victim.clientId, SHOPS, { name: 'VICTIM' })
  const visitors = await makeShops(storage, victim.clientId, VISITORS, { name: 'VISITOR' })
  const tills = await makeShops(storage, neighbour.clientId, TILLS, { name: 'TILL' })
  const devices = await makeShops(storage, neighbour.clientId, DEVICES, { name: 'DEVICE' })
  const backlogged = await makeShops(storage, neighbour.clientId, backlog.speakers, { name: 'BACKLOG' })
  await addBacklog({ storage, file, vault }, neighbour.clientId, backlogged, backlog.missed)

  const reader = new Database(file, { readonly: true })
  onEnd(() => void reader.close())
  const last = reader.prepare<[], number>('SELECT max(number) FROM payments').pluck()
  const lastOf = reader
    .prepare<[string], number>('SELECT number FROM payments WHERE client_id = ? ORDER BY number DESC LIMIT 1')
    .pluck()

  const certificate = makeCertificate(onEnd)
  const env = {
    ...AS_DEFAULT,
    ...{ HUB_MQTT_TLS_PORT: '0', HUB_TLS_CERT: certificate.certFile, HUB_TLS_KEY: certificate.keyFile },
    ...(isProxied && { HUB_TRUST_PROXY_FROM: '127.0.0.1' }),
  }
  const hub = await startOwnHub({ dataDir, masterKey, env, launch: LAUNCH })
  onEnd(() => hub.kill())
  const direct = {
    http: hub.http,
    mqtt: hub.mqtt,
    mqtts: String(hub.mqtts),
    admin: hub.admin(),
    downs: () => 0,
  }
  const entrance = isProxied ? await startShippedHaproxy(direct, certificate, onEnd) : direct
  return {
    pid: hub.pid(),
    admin: hub.admin,
    lastRecorded: { all: () => last.get() ?? 0, victims: () => lastOf.get(victim.clientId) ?? 0 },
    victim: await openVictim({ entrance, dataDir, storage, partner: victim, shops, visitors }, onEnd),
    target: {
      http: listenerOf(entrance.http),
      mqtt: listenerOf(entrance.mqtt),
      mqtts: listenerOf(entrance.mqtts),
      victim: { clientId: victim.clientId, serial: shops[0]?.serial ?? '' },
      neighbour: {
        token: await accessTokenOf(hub.http, neighbour),
        clientSecret: neighbour.clientSecret,
        terminals: tills.map(({ terminalID }) => terminalID),
        devices: devices.map(knownTo),
        backlogged: backlogged.map(knownTo),
      },
    },
    memory: async () => memory.parse(await hub.ask({})),
  }
}

function knownTo({ serial, terminalID, key }: Shop): TargetDevice {
  return { serial, terminalID, key: key.toString('base64') }
}

function listenerOf(url: string) {
  const { protocol, hostname, port } = new URL(url)
  return { host: hostname, port: Number(port), isSecure: ['https:', 'mqtts:'].includes(protocol) }
}
