import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { systemClock } from '../../platform/clock.ts'
import { type Config, readConfig, unknownSettings } from '../../platform/config.ts'
import { freeBytes, LOW_DISK_BYTES } from '../../platform/disk.ts'
import { listen } from '../../platform/listen.ts'
import type { Storage } from '../../storage/ports.ts'
import { when } from '../for-people.ts'
import { reportRetention } from './clock.ts'
import { reportBoxes } from './doctor-boxes.ts'
import { type Checks, postgresChecks } from './doctor-postgres.ts'
import { reportWebhooks } from './doctor-webhooks.ts'
import { type Outcome, outcome, sentenceOf } from './output.ts'
import { configuredFolder, lookIntoWorkspace } from './workspace.ts'

const OLDEST_NODE = 24
const DAY_MS = 24 * 60 * 60_000

/** Checks everything that the hub needs, and explains how to fix each problem. It changes nothing. */
export async function doctor(): Promise<Outcome> {
  const checks: { check: string; ok: boolean; finding: string }[] = []
  const isAllOk = () => checks.every((one) => one.ok)
  async function examine(some: Checks) {
    for (const [check, look] of Object.entries(some))
      try {
        checks.push({ check, ok: true, finding: await look() })
      } catch (error) {
        checks.push({ check, ok: false, finding: sentenceOf(error) })
      }
  }

  await examine({ node, settings })
  if (isAllOk()) {
    await examine(readConfig(process.env).postgres ? postgresChecks() : { data })
    if (isAllOk() && !readConfig(process.env).postgres) await examine({ key: masterKey })
    if (isAllOk())
      await examine({
        ...{ webhooks: inStorage(reportWebhooks), retention: inStorage(reportRetention) },
        boxes: () => lookIntoWorkspace(({ storage, config }) => reportBoxes(storage, config.boxes)),
      })
    await examine({ disk, hub: runningHub })
  }
  const lines = checks.map((one) => `${one.ok ? 'ok   ' : 'WRONG'}  ${one.check.padEnd(8)}  ${one.finding}`)
  return outcome(isAllOk(), { ok: isAllOk(), checks }, ...lines)
}

function inStorage(report: (storage: Storage) => Promise<string>): Checks[string] {
  return () => lookIntoWorkspace(({ storage }) => report(storage))
}

function node(): string {
  const version = process.versions.node
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return `Node.js ${version}`
  throw new Error(
    `Node.js ${version} is too old: start the hub with npm, which brings Node.js ${OLDEST_NODE}.`,
  )
}

function settings(): string {
  const config = readConfig(process.env)
  const ports = portsOf(config).map(({ host, port, setting }) => `${setting} ${host}:${port}`)
  const data = config.postgres ? 'database in PostgreSQL' : `data in ${config.dataDir}`
  return [...ports, data, ...unknownSettings(process.env)].join('; ')
}

function portsOf(config: Config): { host: string; port: number; setting: string }[] {
  const { httpHost, httpPort, mqttHost, mqttPort, tls, boxes, adminHost, adminPort } = config
  const box = (port: number | undefined, setting: string) =>
    port === undefined ? [] : [{ host: boxes.host, port, setting }]
  return [
    { host: httpHost, port: httpPort, setting: 'HUB_HTTP_PORT' },
    ...(mqttPort === undefined ? [] : [{ host: mqttHost, port: mqttPort, setting: 'HUB_MQTT_PORT' }]),
    ...(tls === undefined ? [] : [{ host: mqttHost, port: tls.port, setting: 'HUB_MQTT_TLS_PORT' }]),
    ...box(boxes.port, 'HUB_BOX_PORT'),
    ...box(boxes.tlsPort, 'HUB_BOX_TLS_PORT'),
    { host: adminHost, port: adminPort, setting: 'HUB_ADMIN_PORT' },
  ]
}

function data(): Promise<string> {
  return lookIntoWorkspace(async ({ config, folder, storage, scrubbed }) => {
    if (!scrubbed)
      throw new Error(
        'The database file still contains deleted values (readable, or under an earlier master key), because it could not be rewritten: make room for two more copies of it, and start the hub again.',
      )
    for (const path of [config.dataDir, folder.databaseFile])
      accessSync(path, constants.R_OK | constants.W_OK)
    const [partners, devices] = [await storage.partners.list(), await storage.devices.list()]
    return `the database can be written to; ${partners.length} partners, ${devices.length} devices`
  })
}

/** Runs after the database was read: the key opens it. */
function masterKey(): string {
  const { config, folder } = configuredFolder()
  if (config.masterKey) return 'the master key comes from HUB_MASTER_KEY'
  const { keys } = folder
  if (keys.isUnsettled())
    throw new Error(
      `The first start or the last rotation of the master key was not finished, and the key in force may be in ${keys.file}.next. Keep that file, make the folder writable, and start the hub: it finishes.`,
    )
  const since = statSync(keys.file).mtimeMs
  const days = Math.floor((systemClock.now() - since) / DAY_MS)
  const kept = keys.previousFiles()
  const older = kept.length === 0 ? '' : `; for older backups there are ${kept.join(', ')}`
  return `${keys.file}, since ${when(since)} (${days} days)${older}`
}

async function disk(): Promise<string> {
  const free = await freeBytes(existing(resolve(readConfig(process.env).dataDir)))
  const amount = `${Math.floor(free / 1024 / 1024)} MB free`
  if (free >= LOW_DISK_BYTES) return amount
  throw new Error(`Only ${amount}: free space on the data folder's disk, or payments will soon be refused.`)
}

/** The folder, or the nearest above it that is there. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder))
}

/** A port in use would stop the hub from starting. */
async function checkPortIsFree(host: string, port: number, setting: string) {
  const probe = createServer()
  await listen(probe, host, port, setting)
  await new Promise((resolve) => probe.close(resolve))
}

async function runningHub(): Promise<string> {
  const { config, folder } = configuredFolder()
  const addresses = folder.readAddresses()
  if (!addresses) {
    for (const { host, port, setting } of portsOf(config)) await checkPortIsFree(host, port, setting)
    return 'not running, its ports are free (npm start)'
  }
  const response = await fetch(new URL('/readyz', addresses.http)).catch(() => undefined)
  if (response?.ok) {
    const { http, mqtt, mqtts, box, boxTls, admin } = addresses
    return `ready at ${[http, mqtt, mqtts, box, boxTls, admin].filter(Boolean).join(', ')}`
  }
  if (!response)
    throw new Error(`The hub of process ${addresses.pid} does not answer at ${addresses.http}: see its log.`)
  throw new Error(
    (await response.text()).includes('"storage"')
      ? `The hub is running, but cannot write: check ${config.postgres ? 'whether it reaches PostgreSQL' : 'whether the disk is full or the data folder was removed'}.`
      : 'The hub is starting or stopping: try again in a moment.',
  )
}
