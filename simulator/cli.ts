import { Command, CommanderError } from 'commander'
import { parseKey } from '../protocol/keys.ts'
import { SERIAL_PATTERN } from '../protocol/topics.ts'
import { faultHelp, faultOption } from './cli/fault-option.ts'
import { mistake } from './cli/mistake.ts'
import {
  addScenarioOptions,
  type ScenarioGiven,
  type ScenarioOptions,
  scenarioOf,
} from './cli/scenario-options.ts'
import type { Fault } from './device/faults.ts'
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
  /** Empty when a scenario has a hub of its own. */
  serial: string
  /** The device's secret K; empty when a scenario has a hub of its own. */
  key: Buffer
  url: string
  headless: boolean
  /** Headless: a line for every packet too, and when each line was. */
  packets: boolean
  timestamps: boolean
  /** Whether orders are read from the standard input. */
  control: boolean
  /** The folder of the speaker's memory. */
  stateDir: string
  /** What is wrong with it from the start. */
  faults: readonly Fault[]
  scenario?: ScenarioOptions
}

export type Cli =
  | { kind: 'run'; options: CliOptions }
  | { kind: 'replay'; options: ReplayChoice }
  | { kind: 'exit'; code: 0 | 2 }

export interface CliOutput {
  out: (text: string) => void
  err: (text: string) => void
}

interface Given extends ScenarioGiven {
  serial?: string
  key?: string
  url: string
  headless: boolean
  packets: boolean
  timestamps: boolean
  control: boolean
  state: string
  fault: readonly Fault[]
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
    const command = settled(describe(), output)
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
  const command = new Command('simulator')
    .description(
      'A payment speaker in the terminal. `hub device add` prints the serial and the key it needs.',
    )
    .option('--serial <serial>', "the speaker's serial")
    .option(
      '--key <key>',
      "the speaker's key, 43 characters of base64url (or SPEAKER_KEY in the environment)",
    )
    .option('--url <url>', 'where the hub listens: mqtt, mqtts, ws or wss', 'mqtt://127.0.0.1:1883')
    .option('--headless', 'no screen: print one JSON object a line', false)
    .option('--packets', 'headless: print every MQTT packet too', false)
    .option('--timestamps', 'headless: say in each line when it was', false)
    .option('--control', 'headless: read orders from the standard input, a line each', false)
    .option('--state <dir>', 'folder in which the speaker keeps what it has played', './data/simulator')
    .addOption(faultOption())
  return addScenarioOptions(withTranscriptOption(withSoundOptions(command)))
    .addHelpText('after', '\nMany speakers at once: --fleet N; --fleet --help has its options.')
    .addHelpText('after', faultHelp())
}

function optionsOf(command: Command, env: NodeJS.ProcessEnv): CliOptions {
  const given = command.opts<Given>()
  const scenario = scenarioOf(command, given, env)
  const { url, packets, timestamps, control } = given
  if (control && scenario) mistake(command, '--control: a scenario gives its orders itself.')
  if (!isHubUrl(url)) mistake(command, '--url: give an address such as mqtt://127.0.0.1:1883.')
  return {
    ...(scenario?.hub === 'own' ? unknownSpeaker(command, given) : knownSpeaker(command, given, env)),
    ...{ url, packets, timestamps, control },
    // Orders and packets are lines: who asks for them wants no screen.
    headless: given.headless || packets || timestamps || control,
    stateDir: given.state,
    faults: given.fault,
    ...soundChoiceOf(command),
    ...transcriptChoiceOf(command),
    ...(scenario ? { scenario } : {}),
  }
}

function knownSpeaker(
  command: Command,
  given: Given,
  env: NodeJS.ProcessEnv,
): { serial: string; key: Buffer } {
  const { serial, key: keyText = env.SPEAKER_KEY } = given
  if (serial === undefined) mistake(command, '--serial is missing: `hub device add` prints one.')
  if (!SERIAL_PATTERN.test(serial))
    mistake(command, '--serial: a serial is 4 to 32 letters, digits, "_" or "-".')
  if (keyText === undefined)
    mistake(command, '--key is missing (or set SPEAKER_KEY): `hub device add` prints it.')
  const key = parseKey(keyText)
  if (!key) mistake(command, '--key: a key is 43 characters of base64url, as `hub device add` prints it.')
  return { serial, key }
}

function unknownSpeaker(command: Command, { serial, key }: Given): { serial: string; key: Buffer } {
  if (serial !== undefined || key !== undefined)
    mistake(command, '--with-hub: that hub mints its own speaker; leave --serial and --key out.')
  return { serial: '', key: Buffer.alloc(0) }
}

function isHubUrl(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && PROTOCOLS.includes(url.protocol) && url.hostname !== ''
}
