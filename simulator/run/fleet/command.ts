import { type Clock, systemClock } from '../../platform/clock.ts'
import { messageOf } from '../../platform/error-text.ts'
import { CannotStart, WrongUsage } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { reserveFile } from '../../platform/reserve-file.ts'
import { canDraw } from '../../screen/terminal.ts'
import { lockMemory } from '../../speaker/memory/lock.ts'
import type { Credentials } from '../hub/hub-command.ts'
import { createPartnerClient } from '../hub/partner-client.ts'
import { type FleetDevice, hubCommand, ownDevices, ownPartner, readDevices } from './devices/devices.ts'
import { checkOpenFiles, openFilesAllowed } from './devices/limits.ts'
import { sumOf } from './model/shares.ts'
import { ftCodes } from './pay/ft-codes.ts'
import type { Mix } from './pay/kinds.ts'
import { type Load, stagedLoad, steadyLoad } from './pay/load.ts'
import { csvWriter } from './report/csv.ts'
import { everySecond } from './report/every-second.ts'
import { reportOf, summaryOf } from './report/figures.ts'
import { junitOf } from './report/junit.ts'
import type { Report, Summary } from './report/lines.ts'
import { type MetricsAddress, serveMetrics } from './report/metrics.ts'
import { reportText } from './report/text.ts'
import { isPaid, type Threshold } from './report/thresholds.ts'
import { type Run, type RunOptions, startRun } from './run/run.ts'
import type { Shaken } from './run/troubles.ts'
import { readFleetScenario } from './scenario/read.ts'
import { stagesOf } from './scenario/schema.ts'

/** A fleet as the command line asks for it. */
export interface FleetOptions {
  speakers: number
  /** A file of devices; undefined: the local hub mints them. */
  devices: string | undefined
  /** Devices that are left out at the begin of the file, or of the folder. */
  skip: number
  /** The folder of minted devices. */
  stateDir: string
  url: string
  /** The address of the partner API; used only when the fleet pays. */
  http: string
  /** Speakers that start to connect per second. */
  connectRate: number
  /** Payments per second; undefined: none. */
  payRate: number | undefined
  payments: number | undefined
  mix: Mix
  shaken: Shaken
  /** A scenario file, with what is not given here. */
  scenarioFile: string | undefined
  /** Milliseconds from the end of the ramp. */
  durationMs: number | undefined
  /** How long the ramp may get no further; undefined: the usual time. */
  patienceMs: number | undefined
  /** What the run must reach. */
  thresholds: readonly Threshold[]
  headless: boolean
  reportFile: string | undefined
  junitFile: string | undefined
  csvFile: string | undefined
  /** Where metrics are served; undefined: nowhere. */
  metrics: MetricsAddress | undefined
  /** The paying partner; undefined: the fleet creates one. */
  credentials: Credentials | undefined
}

/**
 * Runs a fleet to its end. Resolves with the exit code: 0, or 1 when a payment was lost or announced twice, or an
 * expectation failed. Throws `CannotStart`, `WrongUsage` for a wrong scenario file, or `MemoryError`.
 */
export async function runFleet(given: FleetOptions, host: Host): Promise<0 | 1> {
  const options = withScenario(given)
  checkOpenFiles(options.speakers, openFilesAllowed())
  const reserve = (option: string, file: string | undefined) =>
    file === undefined ? () => {} : reserveFile(option, file)
  const writeReport = reserve('--report', options.reportFile)
  const writeJunit = reserve('--junit', options.junitFile)
  reserve('--csv', options.csvFile)
  // Two fleets with the same devices would take over each other's sessions. For a file of devices, its owner
  // is responsible.
  const unlock = options.devices === undefined ? lockMemory(options.stateDir, 'fleet', host.pid) : () => {}
  try {
    const devices = await devicesOf(options, host)
    const fleet = startRun(await runOptionsOf(options, devices, host, systemClock))
    const report = await watch(fleet, options, host, systemClock)
    writeReport(lineOf(report))
    writeJunit(junitOf(report))
    return report.ok ? 0 : 1
  } finally {
    unlock()
  }
}

/** A fleet with what its scenario file adds. */
interface Planned extends FleetOptions {
  /** Undefined: the fleet does not pay. */
  load: Load | undefined
}

/** What the command line says goes before what the file says. */
function withScenario(given: FleetOptions): Planned {
  const { scenarioFile, payRate, thresholds } = given
  const steady = payRate === undefined ? undefined : steadyLoad(payRate)
  if (scenarioFile === undefined) return { ...given, load: steady }
  const { pay = 0, stages, mix, faults, networks, expect } = readFleetScenario(scenarioFile)
  const first = payRate ?? pay
  const load = stages ? stagedLoad(first, stagesOf(stages, first)) : first > 0 ? steadyLoad(first) : undefined
  const needing = load ? undefined : [...thresholds, ...expect].find(isPaid)
  if (needing) throw new WrongUsage(`${needing.expect} needs payments: --pay, or stages in ${scenarioFile}.`)
  const kinds = { ...mix, ...given.mix }
  if (sumOf(kinds) > 1)
    throw new WrongUsage(`--mix and the mix of ${scenarioFile} are more than 100 % in all.`)
  const figures = new Set(thresholds.map(({ figure }) => figure))
  return {
    ...{ ...given, load, durationMs: given.durationMs ?? load?.ms },
    mix: kinds,
    shaken: {
      faults: { ...faults, ...given.shaken.faults },
      networks: { ...networks, ...given.shaken.networks },
    },
    thresholds: [...thresholds, ...expect.filter(({ figure }) => !figures.has(figure))],
  }
}

async function devicesOf(
  { speakers, devices, skip, stateDir, url }: FleetOptions,
  { env }: Host,
): Promise<FleetDevice[]> {
  if (devices !== undefined) return readDevices(devices, speakers, skip)
  const own = await ownDevices(stateDir, skip + speakers, hubCommand(env, url))
  return own.slice(skip)
}

async function runOptionsOf(
  options: Planned,
  devices: FleetDevice[],
  { env }: Host,
  clock: Clock,
): Promise<RunOptions> {
  const { url, connectRate, durationMs, patienceMs, shaken, load, mix, payments, http, stateDir } = options
  const base = { devices, url, connectRate, durationMs, patienceMs, shaken, clock, random: Math.random }
  if (!load) return base
  const { clientId, clientSecret } = options.credentials ?? (await ownPartner(stateDir, hubCommand(env, url)))
  const client = createPartnerClient(http, clientId, clientSecret)
  try {
    await client.logIn()
  } catch (error) {
    throw new CannotStart(`${http} refuses the partner ${clientId}: ${messageOf(error)}`)
  }
  return { ...base, pay: { client, load, mix, payments, newFtCode: ftCodes(clock) } }
}

/** Shows the run until it ends, then its report. */
async function watch(run: Run, options: FleetOptions, host: Host, clock: Clock): Promise<Report> {
  const { headless, thresholds, csvFile } = options
  const { stdout, stderr, env } = host
  const hasScreen = !headless && canDraw(stdout, env.TERM)
  const complain = (sentence: string) => stderr.write(`${sentence}\n`)
  host.onEnd(() => run.end())
  const metrics = await showMetrics(run, options, host, clock)
  const close = hasScreen ? await showScreen(run, clock, host) : async () => {}
  const endLines = everySecond(run, clock, [
    ...(hasScreen ? [] : [(summary: Summary) => stdout.write(lineOf(summary))]),
    ...(csvFile === undefined ? [] : [csvWriter(csvFile, complain)]),
  ])
  try {
    await run.ended
  } finally {
    endLines()
    metrics?.close()
    await close()
  }
  const report = reportOf(run, clock.now(), thresholds)
  stdout.write(hasScreen ? reportText(report) : lineOf(report))
  return report
}

async function showMetrics(run: Run, { metrics }: FleetOptions, { stderr }: Host, clock: Clock) {
  if (!metrics) return undefined
  try {
    const served = await serveMetrics(metrics, () => summaryOf(run, clock.now()))
    stderr.write(`Metrics: ${served.url}\n`)
    return served
  } catch (error) {
    run.end()
    throw error
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
