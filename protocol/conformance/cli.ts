import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { parseKey } from '../keys.ts'
import { SERIAL_PATTERN } from '../topics.ts'

export interface CliOptions {
  /** Empty with `list`. */
  serial: string
  /** The device's secret K; empty with `list`. */
  key: Buffer
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
}

export type Cli = { kind: 'run'; options: CliOptions } | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

/** Where a hub is not: both can run beside each other. */
const USUAL_PORT = 1884
const LONGEST_WAIT_S = 86_400

/** Reads the arguments. Help and mistakes are written to the output; a mistake exits with 2. */
export function readCli(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): Cli {
  const command = describe(output)
  try {
    command.parse(args, { from: 'user' })
    return { kind: 'run', options: optionsOf(command, env) }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
  }
}

function describe({ out, err }: CliOutput): Command {
  return new Command('conformance')
    .description('Stands in for the hub before one device, and checks it against sb/1, clause by clause.')
    .option('--serial <serial>', 'the serial of the device')
    .option('--key <key>', 'its key, 43 characters of base64url (or SPEAKER_KEY in the environment)')
    .option('--profile <file>', 'what the device has and how fast it is (YAML or JSON)')
    .option('--only <pattern...>', 'areas (mac), cases (mac/no-mac), with * for anything, or clauses (7.5)')
    .option('--slow', 'also what takes minutes', false)
    .option('--out <dir>', 'folder for report.json, report.xml (JUnit), report.txt, transcript.ndjson')
    .option('--auto', 'ask nobody: what only eyes and ears can tell is inconclusive', false)
    .option('--power-cycle <command>', 'shell command that cuts the power and switches it on again')
    .option('--goodbye <command>', 'shell command that makes the device end its session cleanly')
    .option('--answers <command>', 'shell command that answers for a person: exit 0 yes, 1 no')
    .option('--host <host>', 'the address to listen on; 0.0.0.0 for devices on the network', '127.0.0.1')
    .option('--port <port>', 'the port to listen on; 0 takes a free one', wholeUpTo(65_535), USUAL_PORT)
    .option('--wait <seconds>', 'for how long the device is waited for', wholeUpTo(LONGEST_WAIT_S), 120)
    .option('--list', 'print the cases, and run none', false)
    .option('--json', 'print the report as JSON; what happens meanwhile goes to standard error', false)
    .allowExcessArguments(false)
    .showHelpAfterError('(--help says more)')
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
  if (given.list) return { ...options, serial: '', key: Buffer.alloc(0) }
  if (!SERIAL_PATTERN.test(given.serial ?? ''))
    mistake(command, '--serial: a serial is 4 to 32 letters, digits, "_" or "-".')
  const keyText = key ?? env.SPEAKER_KEY
  if (keyText === undefined)
    mistake(command, '--key is missing (or set SPEAKER_KEY): it is what the device was minted with.')
  const parsed = parseKey(keyText)
  if (!parsed) mistake(command, '--key: a key is 43 characters of base64url.')
  return { ...options, key: parsed }
}

function wholeUpTo(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number <= most) return number
    throw new InvalidArgumentError(`a whole number up to ${most} is wanted.`)
  }
}

function mistake(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}
