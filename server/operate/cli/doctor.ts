import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { systemClock } from '../../platform/clock.ts'
import { readConfig } from '../../platform/config.ts'
import { freeBytes, LOW_DISK_BYTES } from '../../platform/disk.ts'
import { listen } from '../../platform/listen.ts'
import { done, type Outcome, refused, sentenceOf, when } from './output.ts'
import { configuredFolder, inWorkspace } from './workspace.ts'

const OLDEST_NODE = 24
const DAY_MS = 24 * 60 * 60_000

interface Check {
  check: string
  ok: boolean
  finding: string
}

/** Checks everything that the hub needs, and explains how to fix each problem. */
export async function doctor(): Promise<Outcome> {
  const checks = [await examine('node', node), await examine('settings', settings)]
  if (checks.every((one) => one.ok))
    checks.push(
      await examine('data', data),
      await examine('key', masterKey),
      await examine('disk', disk),
      await examine('hub', runningHub),
    )
  const ok = checks.every((one) => one.ok)
  const text = checks.map((one) => `${one.ok ? 'ok   ' : 'WRONG'}  ${one.check.padEnd(8)}  ${one.finding}`)
  return (ok ? done : refused)({ ok, checks }, text.join('\n'))
}

/** A check returns its finding, or throws what is wrong. */
async function examine(check: string, look: () => string | Promise<string>): Promise<Check> {
  try {
    return { check, ok: true, finding: await look() }
  } catch (error) {
    return { check, ok: false, finding: sentenceOf(error) }
  }
}

function node(): string {
  const version = process.versions.node
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return `Node.js ${version}`
  throw new Error(
    `Node.js ${version} is too old: start the hub with npm, which brings Node.js ${OLDEST_NODE}.`,
  )
}

function settings(): string {
  const { host, httpPort, mqttPort, dataDir } = readConfig(process.env)
  return `${host}, HTTP ${httpPort}, MQTT ${mqttPort}, data in ${dataDir}`
}

function data(): Promise<string> {
  return inWorkspace(async ({ storage, scrubbed }) => {
    await storage.ping()
    if (!scrubbed)
      throw new Error(
        'The database file still contains deleted values (readable, or under an earlier master key), because it could not be rewritten: make room for two more copies of it, stop the hub and run this again.',
      )
    const [partners, devices] = [await storage.partners.list(), await storage.devices.list()]
    return `the database is writable; ${partners.length} partners, ${devices.length} devices`
  })
}

/** Runs after the database was opened, because that finishes an interrupted rotation. */
function masterKey(): string {
  const { config, folder } = configuredFolder()
  if (config.masterKey) return 'the master key comes from HUB_MASTER_KEY'
  const { keys } = folder
  keys.current()
  if (keys.isUnsettled())
    throw new Error(
      `The last rotation of the master key could not be finished: the key in force is in ${keys.file}.next. Keep that file, make the folder writable, and run this again.`,
    )
  const since = statSync(keys.file).mtimeMs
  const days = Math.floor((systemClock.now() - since) / DAY_MS)
  const kept = keys.previousFiles()
  const older = kept.length === 0 ? '' : `; for older backups there are ${kept.join(', ')}`
  return `${keys.file}, since ${when(since)} (${days} days)${older}`
}

async function disk(): Promise<string> {
  const free = await freeBytes(readConfig(process.env).dataDir)
  const amount = `${Math.floor(free / 1024 / 1024)} MB free`
  if (free >= LOW_DISK_BYTES) return amount
  throw new Error(`Only ${amount}: free space on the data folder's disk, or payments will soon be refused.`)
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
    await checkPortIsFree(config.host, config.httpPort, 'HUB_HTTP_PORT')
    await checkPortIsFree(config.host, config.mqttPort, 'HUB_MQTT_PORT')
    return 'not running, its ports are free (npm start)'
  }
  const response = await fetch(new URL('/readyz', addresses.http)).catch(() => undefined)
  if (response?.ok) return `ready at ${addresses.http} and ${addresses.mqtt}`
  if (!response)
    throw new Error(`The hub of process ${addresses.pid} does not answer at ${addresses.http}: see its log.`)
  throw new Error(
    (await response.text()).includes('"storage"')
      ? 'The hub is running, but cannot write: check whether the disk is full or the data folder was removed.'
      : 'The hub is starting or stopping: try again in a moment.',
  )
}
