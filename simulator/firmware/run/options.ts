import { Command } from 'commander'
import { parseKey } from '../../../protocol/keys.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { soundChoiceOf, withSoundOptions } from '../../run/cli/sound.ts'
import { invalidValue, usageError, whole } from '../../run/cli/values.ts'
import { dataFolderOf, hubAddresses } from '../../run/hub/running-hub.ts'
import type { SoundChoice } from '../../run/outputs.ts'

/** What the command line asks for. */
export interface FirmwareOptions extends SoundChoice {
  /** Both undefined: a device of its own is minted. */
  serial: string | undefined
  key: Uint8Array | undefined
  /** The hub: `mqtt` or `mqtts`. */
  url: URL
  /** The folder of its flash. */
  stateDir: string
  /** For `mqtts`: a PEM file of authorities for the module, or of one authority for the TLS of the firmware. */
  caFile: string | undefined
  ownCaFile: string | undefined
  headless: boolean
  timestamps: boolean
  control: boolean
  /** Also print the dialogue with the module. */
  at: boolean
  /** The seed of random faults of the module; undefined: none. */
  faultSeed: number | undefined
}

interface Given extends Omit<FirmwareOptions, 'serial' | 'key' | 'url' | keyof SoundChoice> {
  serial?: string
  key?: string
  url: URL
  state: string
  cafile?: string
  ca?: string
  faults?: number
}

export function describeFirmware(env: NodeJS.ProcessEnv): Command {
  const command = new Command('firmware')
    .usage('[options]')
    .description(
      'A payment speaker with the real firmware: its board in QEMU, its LTE module emulated. Without --serial it mints a device in the data folder of the hub.',
    )
    .optionsGroup('Speaker:')
    .option('--serial <serial>', "the speaker's serial")
    .option('--key <key>', 'its key, 43 characters of base64url; or SPEAKER_KEY in the environment')
    .option(
      '--url <url>',
      'address of the hub: mqtt or mqtts; default: of the hub that runs on the data folder',
      hubUrl,
      new URL(hubAddresses(env).url),
    )
    .option('--cafile <file>', 'authorities for mqtts, in PEM: its module does TLS')
    .option('--ca <file>', 'the authority for mqtts, in PEM: the firmware does TLS, with BearSSL')
    .option('--state <dir>', 'folder of its flash', `${dataFolderOf(env)}/firmware`)
    .option('--faults <seed>', 'let the module fail at random, the same way for the same seed', whole)
    .helpOption('-h, --help', 'show this')
    .optionsGroup('Without a screen:')
    .option('--headless', 'print one JSON object per line')
    .option('--at', 'also print the dialogue with the module')
    .option('--timestamps', 'add the time to each line')
    .option('--control', 'read control lines from the standard input')
  return withSoundOptions(command)
}

export function firmwareOptionsOf(command: Command, { SPEAKER_KEY }: NodeJS.ProcessEnv): FirmwareOptions {
  const given = command.opts<Given>()
  const { serial, key: keyText = SPEAKER_KEY, state, cafile, ca, faults, url } = given
  const { at = false, timestamps = false, control = false } = given
  if (serial !== undefined && !SERIAL_PATTERN.test(serial))
    usageError(command, '--serial: a serial is 4 to 32 letters, digits, "_" or "-".')
  const key = serial === undefined || keyText === undefined ? undefined : parseKey(keyText)
  if (serial !== undefined && !key)
    usageError(command, '--key: a key is 43 characters of base64url, as `hub device add` prints it.')
  if (serial === undefined && given.key !== undefined) usageError(command, '--key needs --serial.')
  if ((url.protocol === 'mqtts:') !== ((cafile === undefined) !== (ca === undefined)))
    usageError(command, '--url mqtts: needs one of --cafile and --ca, and mqtt: none.')
  return {
    ...{ serial, key, url, stateDir: state, caFile: cafile, ownCaFile: ca, faultSeed: faults },
    // These options are about lines, so they imply no screen.
    ...{ headless: given.headless || at || timestamps || control, at, timestamps, control },
    ...soundChoiceOf(command),
  }
}

function hubUrl(text: string): URL {
  const url = URL.parse(text)
  return url && /^mqtts?:$/.test(url.protocol) && url.hostname !== ''
    ? url
    : invalidValue('Give an address such as mqtt://127.0.0.1:1883.')
}
