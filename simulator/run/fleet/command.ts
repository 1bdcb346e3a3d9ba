import { type Clock, systemClock } from '../../platform/clock.ts'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { reserveFile } from '../../platform/reserve-file.ts'
import { canDraw } from '../../screen/terminal.ts'
import { lockMemory } from '../../speaker/memory/lock.ts'
import { createPartnerClient } from '../hub/partner-client.ts'
import { checkApi, checkBroker } from '../hub/running-hub.ts'
import { type FleetDevice, hubCommand, ownDevices, ownPartner, readDevices } from './devices/devices.ts'
import { checkOpenFiles, openFilesAllowed } from './devices/limits.ts'
import { sumOf } from './model/shares.ts'
import { type FleetOptions, type Planned, withScenario } from './options.ts'
import { type Part, startPart } from './processes/part.ts'
import { startProcesses } from './processes/processes.ts'
import { type Source, sourceOf } from './processes/source.ts'
import { csvWriter } from './report/csv.ts'
import { everySecond } from './report/every-second.ts'
import { junitOf } from './report/junit.ts'
import type { Report, Summary } from './report/lines.ts'
import { serveMetrics } from './report/metrics.ts'
import { reportText } from './report/text.ts'
import type { Run } from './run/run.ts'

/**
 * Runs a fleet to its end. Resolves with the exit code: 0, or 1 when a payment was lost or announced twice, or an
 * expectation failed. Throws `CannotStart`, `WrongUsage` for a wrong scenario file, or `MemoryError`.
 */
export async function runFleet(given: FleetOptions, host: Host): Promise<0 | 1> {
  const options = withScenario(given)
  checkOpenFiles(Math.ceil(options.speakers / options.processes), openFilesAllowed())
  const reserve = (option: string, file: string | undefined) =>
    file === undefined ? () => {} : reserveFile(option, file)
  const writeReport = reserve('--report', options.reportFile)
  const writeJunit = reserve('--junit', options.junitFile)
  reserve('--csv', options.csvFile)
  await checkAddresses(options)
  // Two fleets with the same devices would take over each other's sessions. For a file of devices, its owner
  // is responsible.
  const unlock = options.devices === undefined ? lockMemory(options.stateDir, 'fleet', host.pid) : () => {}
  try {
    const devices = await devicesOf(options, host)
    const report = await show(await partOf(options, devices, host), options, host, systemClock)
    writeReport(lineOf(report))
    writeJunit(junitOf(report))
    return report.ok ? 0 : 1
  } finally {
    unlock()
  }
}

/** Nothing is minted for a hub that does not answer. */
async function checkAddresses({ devices, dialects, url, boxUrl, load, http }: Planned): Promise<void> {
  if (devices === undefined) {
    await checkBroker(url)
    if (sumOf(dialects) > 0) await checkBroker(boxUrl, '--box-url')
  }
  if (load) await checkApi(http)
}

async function devicesOf(
  { speakers, devices, dialects, skip, stateDir, url }: Planned,
  { env }: Host,
): Promise<FleetDevice[]> {
  if (devices !== undefined) return readDevices(devices, speakers, skip)
  const own = await ownDevices(stateDir, skip + speakers, hubCommand(env, url), dialects)
  return own.slice(skip)
}

async function partOf(options: Planned, devices: FleetDevice[], { env }: Host): Promise<Part> {
  const {
    url,
    boxUrl,
    connectRate,
    durationMs,
    patienceMs,
    conditions,
    load,
    mix,
    payments,
    http,
    stateDir,
  } = options
  const base = { devices, url, boxUrl, connectRate, durationMs, patienceMs, conditions, pay: undefined }
  if (!load) return base
  const partner = options.credentials ?? (await ownPartner(stateDir, hubCommand(env, url)))
  try {
    await createPartnerClient(http, partner.clientId, partner.clientSecret).logIn()
  } catch (error) {
    throw new CannotStart(`${http} refuses the partner ${partner.clientId}: ${messageOf(error)}`)
  }
  return { ...base, pay: { http, partner, load, mix, payments } }
}

/** Starts the fleet, and shows it until it ends, then its report. */
async function show(part: Part, options: FleetOptions, host: Host, clock: Clock): Promise<Report> {
  const { headless, processes, thresholds } = options
  const { stdout, env } = host
  if (processes > 1) {
    const source = startProcesses(part, processes, clock)
    await watch(source, [(summary) => stdout.write(lineOf(summary))], options, host, clock)
    return toldTo(stdout, source.report(thresholds), false)
  }
  const run = startPart(part, clock)
  const source = sourceOf(run, clock)
  const hasScreen = !headless && canDraw(stdout, env.TERM)
  const close = hasScreen ? await showScreen(run, clock, host) : async () => {}
  const lines = hasScreen ? [] : [(summary: Summary) => stdout.write(lineOf(summary))]
  try {
    await watch(source, lines, options, host, clock)
  } finally {
    await close()
  }
  return toldTo(stdout, source.report(thresholds), hasScreen)
}

function toldTo(stdout: Host['stdout'], report: Report, isText: boolean): Report {
  stdout.write(isText ? reportText(report) : lineOf(report))
  return report
}

/** Tells the viewers, and what else the options ask for, until the run has ended. */
async function watch(
  source: Source,
  viewers: readonly ((summary: Summary) => void)[],
  { csvFile, metrics }: FleetOptions,
  host: Host,
  clock: Clock,
): Promise<void> {
  const complain = (sentence: string) => host.stderr.write(`${sentence}\n`)
  host.onEnd(() => source.end())
  const csv = csvFile === undefined ? [] : [csvWriter(csvFile, complain)]
  const endLines = everySecond(source, clock, [...viewers, ...csv])
  let served: { url: string; close(): void } | undefined
  try {
    if (metrics) {
      served = await serveMetrics(metrics, () => source.summary())
      complain(`Metrics: ${served.url}`)
    }
    await source.ended
  } catch (error) {
    source.end()
    throw error
  } finally {
    endLines()
    served?.close()
  }
}

function lineOf(line: Report | Summary): string {
  return `${JSON.stringify(line)}\n`
}

/** Loads Ink and React only for a screen. */
async function showScreen(run: Run, clock: Clock, { stdout, stdin, env }: Host) {
  const { renderFleet } = await import('./view/render.tsx')
  const screen = renderFleet({ run, clock, stdout, stdin, tmux: env.TMUX })
  return () => screen.close()
}
