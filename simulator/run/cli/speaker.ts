import { Command } from 'commander'
import { parseKey, proofOf } from '../../../protocol/keys.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { hubAddresses, stateFolderOf } from '../hub/running-hub.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import type { ScenarioOptions } from '../scenario/command.ts'
import { faultHelp, faultsOf, withFaultOption } from './faults.ts'
import { headlessChoiceOf, withHeadlessOptions } from './headless.ts'
import { recordingChoiceOf, withRecordingOption } from './recording.ts'
import { scenarioOf, withScenarioOptions } from './scenario.ts'
import { soundChoiceOf, withSoundOptions } from './sound.ts'
import { brokerUrl, usageError } from './values.ts'

interface Given {
  serial?: string
  key?: string
  url: string
  state: string
  proof?: true
}

/** The other commands, for the speaker's help. */
const OTHERS = `
Fleet:
  --fleet <number>     many speakers, with payments: see
                       simulator --fleet --help
  merge <files...>     one report of several fleets: see
                       simulator merge --help

Boxes of other makers:
  --dialect <kind>     a box that speaks another protocol: see
                       simulator --dialect --help

Replay:
  replay <file>        replay a recorded session: see
                       simulator replay --help
`

export function describeSpeaker(env: NodeJS.ProcessEnv): Command {
  const command = new Command('simulator')
    .usage('[options]')
    .description(
      'A payment speaker in the terminal. `hub device add` prints the serial and the key it needs.',
    )
    .optionsGroup('Speaker:')
    .option('--serial <serial>', "the speaker's serial")
    .option('--key <key>', 'its key, 43 characters of base64url; or SPEAKER_KEY in the environment')
    .option(
      '--url <url>',
      'address of the hub: mqtt, mqtts, ws or wss; default: of the hub that runs on the data folder',
      brokerUrl,
      hubAddresses(env).url,
    )
    .option('--state <dir>', 'folder of its memory', stateFolderOf(env))
    .option('--proof', 'print the proof of its serial and key, and exit')
    .helpOption('-h, --help', 'show this')
  for (const withGroup of [
    withHeadlessOptions,
    withFaultOption,
    withSoundOptions,
    withRecordingOption,
    withScenarioOptions,
  ])
    withGroup(command)
  return command.addHelpText('after', `${OTHERS}\n${faultHelp()}`)
}

/** What a speaker answers to the jig of a factory (sb/1 2.5), if the arguments ask for it. */
export function proofAskedOf(command: Command, env: NodeJS.ProcessEnv): string | undefined {
  const given = command.opts<Given>()
  if (!given.proof) return undefined
  const { serial, key } = knownSpeaker(command, given, env, undefined)
  return proofOf(serial, key)
}

export function speakerOptionsOf(
  command: Command,
  env: NodeJS.ProcessEnv,
): SpeakerOptions & { scenario?: ScenarioOptions } {
  const given = command.opts<Given>()
  const scenario = scenarioOf(command, env)
  const speaker =
    scenario?.hub === 'own' ? unknownSpeaker(command, given) : knownSpeaker(command, given, env, scenario)
  return {
    ...speaker,
    url: given.url,
    stateDir: given.state,
    faults: faultsOf(command),
    ...headlessChoiceOf(command),
    ...soundChoiceOf(command),
    ...recordingChoiceOf(command),
    ...(scenario ? { scenario } : {}),
  }
}

function knownSpeaker(
  command: Command,
  { serial, key: keyText }: Given,
  { SPEAKER_KEY }: NodeJS.ProcessEnv,
  scenario: ScenarioOptions | undefined,
): { serial: string; key: Uint8Array } {
  const text = keyText ?? SPEAKER_KEY
  const instead = scenario ? ' Or use --with-hub, which starts a temporary hub and speaker.' : ''
  if (serial === undefined)
    usageError(command, `--serial is missing: \`hub device add\` prints one.${instead}`)
  if (!SERIAL_PATTERN.test(serial))
    usageError(command, '--serial: a serial is 4 to 32 letters, digits, "_" or "-".')
  const { password, secret } = scenario?.box ?? {}
  // A scenario of a box has no key: what is missing is told when the file is read.
  if (text === undefined && (password ?? secret) !== undefined) return { serial, key: new Uint8Array() }
  if (text === undefined)
    usageError(command, `--key is missing (or set SPEAKER_KEY): \`hub device add\` prints it.${instead}`)
  const key = parseKey(text)
  if (!key) usageError(command, '--key: a key is 43 characters of base64url, as `hub device add` prints it.')
  return { serial, key }
}

function unknownSpeaker(command: Command, { serial, key }: Given): { serial: string; key: Uint8Array } {
  if (serial !== undefined || key !== undefined)
    usageError(command, '--with-hub: the temporary hub mints its own speaker; omit --serial and --key.')
  for (const option of ['url', 'state'])
    if (command.getOptionValueSource(option) === 'cli')
      usageError(command, `--with-hub: the temporary hub has its own address and folder; omit --${option}.`)
  return { serial: '', key: new Uint8Array() }
}
