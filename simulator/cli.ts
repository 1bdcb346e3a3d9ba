import { Command, CommanderError } from 'commander'
import { parseKey } from '../protocol/keys.ts'
import { SERIAL_PATTERN } from '../protocol/topics.ts'

export interface CliOptions {
  serial: string
  /** The device's secret K. */
  key: Buffer
  url: string
  headless: boolean
  /** The folder of the speaker's memory. */
  stateDir: string
}

export type Cli = { kind: 'run'; options: CliOptions } | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

const PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']

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
  return new Command('simulator')
    .description(
      'A payment speaker in the terminal. `hub device add` prints the serial and the key it needs.',
    )
    .requiredOption('--serial <serial>', "the speaker's serial")
    .option(
      '--key <key>',
      "the speaker's key, 43 characters of base64url (or SPEAKER_KEY in the environment)",
    )
    .option('--url <url>', 'where the hub listens: mqtt, mqtts, ws or wss', 'mqtt://127.0.0.1:1883')
    .option('--headless', 'no screen: print one JSON object a line', false)
    .option('--state <dir>', 'folder in which the speaker keeps what it has played', './data/simulator')
    .addHelpText('after', '\nMany speakers at once: --fleet N; --fleet --help has its options.')
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
}

function optionsOf(command: Command, env: NodeJS.ProcessEnv): CliOptions {
  const given = command.opts<{
    serial: string
    key?: string
    url: string
    headless: boolean
    state: string
  }>()
  if (!SERIAL_PATTERN.test(given.serial))
    mistake(command, '--serial: a serial is 4 to 32 letters, digits, "_" or "-".')
  const keyText = given.key ?? env.SPEAKER_KEY
  if (keyText === undefined)
    mistake(command, '--key is missing (or set SPEAKER_KEY): `hub device add` prints it.')
  const key = parseKey(keyText)
  if (!key) mistake(command, '--key: a key is 43 characters of base64url, as `hub device add` prints it.')
  if (!isHubUrl(given.url)) mistake(command, '--url: give an address such as mqtt://127.0.0.1:1883.')
  return { serial: given.serial, key, url: given.url, headless: given.headless, stateDir: given.state }
}

function mistake(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}

function isHubUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && PROTOCOLS.includes(url.protocol) && url.hostname !== ''
}
