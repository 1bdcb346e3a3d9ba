import { Command, Option } from 'commander'
import { BOX_KINDS, type BoxKind } from '../../boxes/kinds.ts'
import { FAULTS, type Fault } from '../../speaker/device/state/faults.ts'
import { MOST_SPEAKERS } from '../fleet/devices/limits.ts'
import { parseNamedShare, type Shares, sumOf } from '../fleet/model/shares.ts'
import type { FleetOptions } from '../fleet/options.ts'
import { KINDS, type Mix } from '../fleet/pay/kinds.ts'
import type { MetricsAddress } from '../fleet/report/metrics.ts'
import { isPaid, type Threshold } from '../fleet/report/thresholds.ts'
import { NETWORKS, type Network } from '../fleet/run/conditions.ts'
import { PATIENCE_MS } from '../fleet/run/stall.ts'
import { apiOf, boxAddress, hubAddresses, stateFolderOf } from '../hub/running-hub.ts'
import { type GivenThresholds, thresholdsIn, withExpectations } from './fleet-expectations.ts'
import {
  brokerUrl,
  credentialsIn,
  durationMs,
  httpUrl,
  invalidValue,
  rate,
  usageError,
  whole,
  wholeOrZero,
} from './values.ts'

/**
 * A little below the hub's limit of 200 connections a second for one address, so that no connection of a new fleet is
 * refused.
 */
const CONNECT_RATE = 180
/** More than the cores of a machine are of no use. */
const MOST_PROCESSES = 64

/** Whether the arguments ask for a fleet. */
export function asksForFleet(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--fleet' || arg.startsWith('--fleet='))
}

export function describeFleet(env: NodeJS.ProcessEnv): Command {
  const ramp = new Option('--ramp <time>', 'time in which all start to connect, such as 30s or 5m')
  const command = new Command('simulator --fleet')
    .usage('<number> [options]')
    .description('Many payment speakers in one terminal: load for a hub, and how the hub handles it.')
    .optionsGroup('Speakers:')
    .requiredOption('--fleet <number>', 'how many', count)
    .option(
      '--devices <file>',
      'their serials and keys, as `hub device add --json` prints them; default: minted by the local hub and kept',
    )
    .option(
      '--skip <number>',
      'leave out so many devices at the begin: another fleet has them',
      wholeOrZero,
      0,
    )
    .option('--state <dir>', 'folder of the minted devices', stateFolderOf(env))
    .option(
      '--url <url>',
      'address of the hub: mqtt, mqtts, ws or wss; default: of the hub that runs on the data folder',
      brokerUrl,
      hubAddresses(env).url,
    )
    .option(
      '--dialect <name=percent>',
      `a share of them that are boxes of other makers (may be repeated): ${BOX_KINDS.join(', ')}`,
      sharesOf(BOX_KINDS),
    )
    .option('--box-url <url>', "address of the hub's listener for boxes", brokerUrl, boxAddress(env))
    .option('--connect-rate <number>', 'speakers that start to connect per second', rate, CONNECT_RATE)
    .addOption(ramp.argParser(durationMs).conflicts('connectRate'))
    .option(
      '--fault <name=percent>',
      'a fault for a share of the speakers (may be repeated): see simulator --help',
      sharesOf(FAULTS),
    )
    .option(
      '--network <name=percent>',
      `a bad network for a share of them (may be repeated): ${NETWORKS.join(', ')}`,
      sharesOf(NETWORKS),
    )
    .helpOption('-h, --help', 'show this')
  return withExpectations(withEnds(withPayments(command)))
}

function withPayments(command: Command): Command {
  return command
    .optionsGroup('Payments:')
    .option('--pay <number>', 'payments per second, to random shops; speakers are registered first', rate)
    .option(
      '--mix <kind=percent>',
      `other kinds of payments (may be repeated): ${KINDS.join(', ')}`,
      sharesOf(KINDS),
    )
    .option(
      '--scenario <file>',
      'YAML with stages of load, limits and more; the options above and below go before it',
    )
    .option(
      '--http <url>',
      'address of the partner API (default: of the hub that runs on the data folder; with another --url, port 8080 of its host)',
      httpUrl,
    )
    .addHelpText(
      'after',
      '\nThe paying partner: CLIENT_ID and CLIENT_SECRET in the environment; without\nthem the local hub creates one.',
    )
}

function withEnds(command: Command): Command {
  return command
    .optionsGroup('Run:')
    .option('--payments <number>', 'end after this many payments', whole)
    .option('--duration <time>', 'end this long after the ramp, such as 60s or 5m', durationMs)
    .option(
      '--patience <time>',
      `how long the ramp, or --payments, may get no further (default: ${PATIENCE_MS / 1000}s)`,
      durationMs,
    )
    .option(
      '--processes <number>',
      'share the fleet among so many processes; there is no screen then',
      processes,
      1,
    )
    .option('--headless', 'no screen: a summary per second as one JSON object, a report as the last')
    .option('--report <file>', 'also write the report to this file')
    .option('--junit <file>', 'write the expectations as JUnit XML')
    .option('--csv <file>', 'write the figures of each second as CSV')
    .option(
      '--metrics <[host:]port>',
      'serve the figures to Prometheus at /metrics (host: 127.0.0.1; port 0: a free one)',
      listener,
    )
}

function listener(text: string): MetricsAddress {
  const [, host = '127.0.0.1', port = ''] = /^(?:\[?([^[\]]+?)\]?:)?(\d{1,5})$/.exec(text) ?? []
  return port !== '' && Number(port) < 65_536
    ? { host, port: Number(port) }
    : invalidValue('Give a port, such as 9400, or an address and a port, such as 0.0.0.0:9400.')
}

/** Collects `NAME=5%`. */
function sharesOf<const Name extends string>(names: readonly Name[]) {
  return (text: string, before: Shares<Name> | undefined): Shares<Name> => {
    const parsed = parseNamedShare(text, names)
    if (typeof parsed === 'string') return invalidValue(parsed)
    return { ...before, ...parsed }
  }
}

interface Given extends GivenThresholds {
  fleet: number
  devices?: string
  state: string
  skip: number
  url: string
  boxUrl: string
  dialect?: Shares<BoxKind>
  http?: string
  connectRate: number
  ramp?: number
  pay?: number
  payments?: number
  fault?: Shares<Fault>
  network?: Shares<Network>
  mix?: Mix
  scenario?: string
  duration?: number
  patience?: number
  processes: number
  headless?: boolean
  report?: string
  junit?: string
  csv?: string
  metrics?: MetricsAddress
}

export function fleetOptionsOf(command: Command, env: NodeJS.ProcessEnv): FleetOptions {
  const given = command.opts<Given>()
  const credentials = credentialsIn(env)
  if (given.processes > given.fleet)
    usageError(command, `--processes is ${given.processes}, and --fleet has only ${given.fleet} speakers.`)
  if (given.payments !== undefined && given.processes > given.payments)
    usageError(command, `--processes is ${given.processes}, and --payments is only ${given.payments}.`)
  const mayPay = given.pay !== undefined || given.scenario !== undefined
  if (given.payments !== undefined && !mayPay)
    usageError(command, '--payments needs --pay, the rate per second.')
  if (given.mix !== undefined && !mayPay) usageError(command, '--mix needs --pay, the rate per second.')
  if (sumOf(given.mix ?? {}) > 1) usageError(command, '--mix is more than 100 % in all.')
  if (sumOf(given.network ?? {}) > 1) usageError(command, '--network is more than 100 % in all.')
  if (sumOf(given.dialect ?? {}) > 1) usageError(command, '--dialect is more than 100 % in all.')
  if (given.dialect !== undefined && given.devices !== undefined)
    usageError(command, '--dialect is for devices that the fleet mints: a line of --devices says its own.')
  if (given.http !== undefined && !mayPay)
    usageError(command, '--http needs --pay: only payments use the partner API.')
  if (mayPay && given.devices !== undefined && !credentials)
    usageError(command, '--pay with --devices needs a partner: set CLIENT_ID and CLIENT_SECRET.')
  return {
    speakers: given.fleet,
    devices: given.devices,
    stateDir: given.state,
    skip: given.skip,
    url: given.url,
    boxUrl: given.boxUrl,
    dialects: given.dialect ?? {},
    http: given.http ?? apiOf(given.url, env),
    connectRate: given.ramp === undefined ? given.connectRate : (given.fleet * 1000) / given.ramp,
    payRate: given.pay,
    payments: given.payments,
    mix: given.mix ?? {},
    conditions: { faults: given.fault ?? {}, networks: given.network ?? {} },
    scenarioFile: given.scenario,
    durationMs: given.duration,
    patienceMs: given.patience,
    thresholds: thresholdsOf(command, given),
    processes: given.processes,
    headless: given.headless ?? false,
    reportFile: given.report,
    junitFile: given.junit,
    csvFile: given.csv,
    metrics: given.metrics,
    credentials,
  }
}

function thresholdsOf(command: Command, given: Given): readonly Threshold[] {
  const { fleet, pay, scenario, expectConnected, expectShops } = given
  // No run can reach more than it asks for.
  for (const [name, value] of Object.entries({ connected: expectConnected, shops: expectShops }))
    if (value !== undefined && value > fleet)
      usageError(command, `--expect-${name} is ${value}, and --fleet has only ${fleet} speakers.`)
  return thresholdsIn(given).map(({ option, threshold }) => {
    if (pay === undefined && scenario === undefined && isPaid(threshold))
      usageError(command, `${option} needs --pay, the rate per second.`)
    return threshold
  })
}

function processes(text: string): number {
  const value = whole(text)
  return value <= MOST_PROCESSES ? value : invalidValue(`${MOST_PROCESSES} at most.`)
}

function count(text: string): number {
  const value = whole(text)
  return value <= MOST_SPEAKERS
    ? value
    : invalidValue(
        `${MOST_SPEAKERS} at most: one machine has about 28,000 ports for connections to one hub. Use several machines.`,
      )
}
