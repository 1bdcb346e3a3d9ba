import { Command, CommanderError } from 'commander'
import { parseKey } from '../protocol/keys.ts'
import { SERIAL_PATTERN } from '../protocol/topics.ts'
import { type SoundChoice, soundChoiceOf, withSoundOptions } from './sound/options.ts'
import {
  describeReplay,
  type ReplayChoice,
  replayChoiceOf,
  type TranscriptChoice,
  transcriptChoiceOf,
  withTranscriptOption,
} from './transcript/options.ts'

export interface CliOptions extends SoundChoice, TranscriptChoice {
  serial: string
  /** The device's secret K. */
  key: Buffer
  url: string
  headless: boolean
  /** The folder of the speaker's memory. */
  stateDir: string
}

export type Cli =
  | { kind: 'run'; options: CliOptions }
  | { kind: 'replay'; options: ReplayChoice }
  | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

const PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']

/**
 * Reads the arguments; `replay` as the first of them is a command of its own. Help and mistakes are written to the
 * output; a mistake exits with 2.
 */
export function readCli(args: readonly string[], env: NodeJS.ProcessEnv, output: CliOutput): Cli {
  const [first, ...rest] = args
  try {
    if (first === 'replay') {
      const command = settled(describeReplay(), output).parse(rest, { from: 'user' })
      return { kind: 'replay', options: replayChoiceOf(command) }
    }
    const command = withTranscriptOption(withSoundOptions(settled(describe(), output)))
    command.parse(args, { from: 'user' })
    return { kind: 'run', options: optionsOf(command, env) }
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 }
  }
}

/** A command that answers by its exit code, and writes where it is told to. */
function settled(command: Command, { out, err }: CliOutput): Command {
  return command.allowExcessArguments(false).exitOverride().configureOutput({ writeOut: out, writeErr: err })
}

function describe(): Command {
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
  const { serial, url, headless, state: stateDir } = given
  return { serial, key, url, headless, stateDir, ...soundChoiceOf(command), ...transcriptChoiceOf(command) }
}

function mistake(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}

function isHubUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && PROTOCOLS.includes(url.protocol) && url.hostname !== ''
}
