import { join } from 'node:path'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { CliOutput } from '../cli.ts'
import { MOST_SPEAKERS } from './limits.ts'

export interface FleetCliOptions {
  speakers: number
  /** A file of devices; left out, the local hub mints them. */
  devices: string | undefined
  /** Keeps the devices that were minted. */
  stateDir: string
  url: string
  /** Where the partner API is; only asked when the fleet pays. */
  http: string
  /** Speakers that begin to connect, a second. */
  connectRate: number
  /** Payments a second; undefined: none. */
  payRate: number | undefined
  payments: number | undefined
  durationMs: number | undefined
  headless: boolean
  reportFile: string | undefined
  /** From the environment; undefined: the fleet makes a partner of its own. */
  credentials: { clientId: string; clientSecret: string } | undefined
}

export type FleetCli = { kind: 'run'; options: FleetCliOptions } | { kind: 'exit'; code: 0 | 2 }

/** A little below what a hub lets one address open, 200 a second: so no connection of a fresh fleet is refused. */
const CONNECT_RATE = 180
const HTTP_PORT = 8080
const PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']
const DURATION = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)$/
const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Whether the arguments ask for a fleet. */
export function asksForFleet(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--fleet' || arg.startsWith('--fleet='))
}

/** Reads the arguments of a fleet. Help and mistakes are written to the output; a mistake exits with 2. */
export function readFleetCli(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): FleetCli {
  const command = describe(output, env)
  // Asked together, the help is what is wanted: it must not be taken for the number.
  const isHelp = args.some((arg) => arg === '--help' || arg === '-h')
  try {
    command.parse(isHelp ? ['--help'] : args, { from: 'user' })
    return { kind: 'run', options: optionsOf(command, env) }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
  }
}

function describe({ out, err }: CliOutput, env: NodeJS.ProcessEnv): Command {
  const state = join(env.HUB_DATA_DIR || './data', 'simulator')
  return new Command('simulator --fleet')
    .description('Many payment speakers in one terminal: load for a hub, and what it does with it.')
    .requiredOption('--fleet <number>', 'how many speakers', count)
    .option(
      '--devices <file>',
      'their serials and keys, as `hub device add --json` prints them; left out, minted by the local hub and kept',
    )
    .option('--state <dir>', 'folder in which minted devices are kept', state)
    .option('--url <url>', 'where the hub listens: mqtt, mqtts, ws or wss', url, 'mqtt://127.0.0.1:1883')
    .option('--connect-rate <number>', 'speakers that begin to connect, a second', rate, CONNECT_RATE)
    .addOption(
      new Option('--ramp <time>', 'time in which all have begun to connect, as 30s or 5m')
        .argParser(duration)
        .conflicts('connectRate'),
    )
    .option(
      '--pay <number>',
      'payments a second, to shops at random; the speakers are registered first',
      rate,
    )
    .addOption(new Option('--payments <number>', 'end after so many payments').argParser(whole))
    .option('--http <url>', 'where the partner API is (default: port 8080 of the host in --url)', httpUrl)
    .option('--duration <time>', 'end after this time, as 60s or 5m', duration)
    .option('--headless', 'no screen: a summary as one JSON object a second, a report as the last', false)
    .option('--report <file>', 'write the report to this file too')
    .addHelpText(
      'after',
      '\nThe partner who pays: HUB_CLIENT_ID and HUB_CLIENT_SECRET; without them one is made in the local hub.',
    )
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
}

interface Given {
  fleet: number
  devices?: string
  state: string
  url: string
  http?: string
  connectRate: number
  ramp?: number
  pay?: number
  payments?: number
  duration?: number
  headless: boolean
  report?: string
}

function optionsOf(command: Command, env: NodeJS.ProcessEnv): FleetCliOptions {
  const given = command.opts<Given>()
  const { HUB_CLIENT_ID: clientId, HUB_CLIENT_SECRET: clientSecret } = env
  if (given.payments !== undefined && given.pay === undefined)
    command.error('--payments needs --pay: how many a second.', { exitCode: 2 })
  const credentials = clientId && clientSecret ? { clientId, clientSecret } : undefined
  if (given.pay !== undefined && given.devices !== undefined && !credentials)
    command.error('--pay with --devices needs the partner: set HUB_CLIENT_ID and HUB_CLIENT_SECRET.', {
      exitCode: 2,
    })
  return {
    speakers: given.fleet,
    devices: given.devices,
    stateDir: given.state,
    url: given.url,
    http: given.http ?? `http://${new URL(given.url).hostname}:${HTTP_PORT}`,
    connectRate: given.ramp === undefined ? given.connectRate : (given.fleet * 1000) / given.ramp,
    payRate: given.pay,
    payments: given.payments,
    durationMs: given.duration,
    headless: given.headless,
    reportFile: given.report,
    credentials,
  }
}

function count(text: string): number {
  const value = whole(text)
  if (value > MOST_SPEAKERS)
    throw new InvalidArgumentError(
      `${MOST_SPEAKERS} at most: one machine has some 28,000 ports for connections to one hub. Take several machines.`,
    )
  return value
}

function whole(text: string): number {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number above 0.')
  return Number(text)
}

/** A number a second: "50", "0.5" or "50/s". */
function rate(text: string): number {
  const value = Number(/^([0-9]+(?:\.[0-9]+)?)(?:\/s)?$/.exec(text)?.[1])
  if (!(value > 0 && value <= 100_000)) throw new InvalidArgumentError('Give a number a second, such as 50.')
  return value
}

/** Milliseconds. */
function duration(text: string): number {
  const [, number, unit] = DURATION.exec(text) ?? []
  const ms = Number(number) * UNIT_MS[(unit ?? 's') as keyof typeof UNIT_MS]
  if (!(ms > 0)) throw new InvalidArgumentError('Give a time with its unit, such as 30s, 5m or 1h.')
  return ms
}

function url(text: string): string {
  const parsed = URL.parse(text)
  if (!parsed || !PROTOCOLS.includes(parsed.protocol) || parsed.hostname === '')
    throw new InvalidArgumentError('Give an address such as mqtt://127.0.0.1:1883.')
  return text
}

function httpUrl(text: string): string {
  const parsed = URL.parse(text)
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new InvalidArgumentError('Give an address such as http://127.0.0.1:8080.')
  return text.replace(/\/+$/, '')
}
