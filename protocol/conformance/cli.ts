import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { parseKey } from '../keys.ts'
import { SERIAL_PATTERN } from '../topics.ts'

export interface CliOptions {
  /** Empty for `list` and `demo`. */
  serial: string
  /** The device's secret K. Empty for `list` and `demo`. */
  key: Uint8Array
  profile: string | undefined
  only: string[]
  out: string | undefined
  auto: boolean
  slow: boolean
  host: string
  port: number
  waitMs: number
  powerCycle: string | undefined
  goodbye: string | undefined
  answers: string | undefined
  list: boolean
  json: boolean
  strict: boolean
  matrix: boolean
  demo: boolean
}

export type Cli = { kind: 'run'; options: CliOptions } | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

/** Not the hub's port, so that both can run on one machine. */
const DEFAULT_PORT = 1884
const MAX_WAIT_S = 86_400
/** Options that the demo has no use for. */
const OF_A_DEVICE = ['serial', 'key', 'profile', 'auto', 'powerCycle', 'goodbye', 'answers', 'host', 'port']

/** Reads the arguments. Writes help and errors to the output. An error exits with 2. */
export function readCli(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): Cli {
  const command = defineCommand(output)
  try {
    command.parse(args, { from: 'user' })
    return { kind: 'run', options: optionsOf(command, env) }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
  }
}

function defineCommand({ out, err }: CliOutput): Command {
  return new Command('conformance')
    .description('Acts as the hub for one device, and checks the device against sb/1, clause by clause.')
    .option('--serial <serial>', 'serial of the device')
    .option('--key <key>', 'key of the device, 43 characters of base64url (or set SPEAKER_KEY)')
    .option('--profile <file>', 'properties and timings of the device (YAML or JSON)')
    .option(
      '--only <pattern...>',
      'areas (mac), cases (mac/no-mac), both with * as a wildcard, or clauses (7.5)',
    )
    .option('--slow', 'also run the cases that take minutes', false)
    .option('--out <dir>', 'folder for report.json, report.xml (JUnit), report.txt, transcript.ndjson')
    .option('--auto', 'ask no questions: cases that only a person can decide are inconclusive', false)
    .option('--power-cycle <command>', 'shell command that cuts the power and switches it on again')
    .option('--goodbye <command>', 'shell command that makes the device end its session cleanly')
    .option('--answers <command>', 'shell command that answers the questions: exit 0 yes, 1 no')
    .option('--host <host>', 'address to listen on; 0.0.0.0 for devices on the network', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free port', integerUpTo(65_535), DEFAULT_PORT)
    .option('--wait <seconds>', 'how long to wait for the device', integerUpTo(MAX_WAIT_S), 120)
    .option('--list', 'print the cases without running them', false)
    .option('--strict', 'exit with 4 unless the device is certified', false)
    .option('--matrix', 'print what the run says about every clause', false)
    .addOption(
      new Option('--demo', 'check the simulated speaker in half a minute, without a device')
        .default(false)
        .conflicts(OF_A_DEVICE),
    )
    .option('--json', 'print the report as JSON; progress goes to standard error', false)
    .allowExcessArguments(false)
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
}

interface Given extends Omit<CliOptions, 'key' | 'waitMs' | 'only'> {
  key?: string
  wait: number
  only?: string[]
}

function optionsOf(command: Command, env: NodeJS.ProcessEnv): CliOptions {
  const { wait, key, ...given } = command.opts<Given>()
  const options = { ...given, waitMs: wait * 1000, only: given.only ?? [] }
  if (given.list || given.demo) return { ...options, serial: '', key: new Uint8Array() }
  if (!SERIAL_PATTERN.test(given.serial ?? ''))
    failUsage(command, '--serial: a serial has 4 to 32 letters, digits, "_" or "-".')
  const keyText = key ?? env.SPEAKER_KEY
  if (keyText === undefined)
    failUsage(command, '--key is missing: pass the key that `hub device add` printed, or set SPEAKER_KEY.')
  const parsed = parseKey(keyText)
  if (!parsed) failUsage(command, '--key: a key has 43 characters of base64url.')
  return { ...options, key: parsed }
}

function integerUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number <= most) return number
    throw new InvalidArgumentError(`expected a whole number up to ${most}.`)
  }
}

function failUsage(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}
