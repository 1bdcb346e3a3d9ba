import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { z } from 'zod'
import { LANGUAGES, type Language } from '../../../protocol/money/language.ts'
import { guess } from '../../../protocol/text/nearest.ts'
import { boxConfigOf } from '../../boxes/config.ts'
import { BOX_FAULT_NOTES, BOX_FAULTS, type BoxFault, isBoxFault } from '../../boxes/core/faults.ts'
import { type Pack, pack } from '../../boxes/core/pack.ts'
import { BOX_KINDS, type BoxKind } from '../../boxes/kinds.ts'
import { fileTrouble } from '../../platform/error-text.ts'
import { parseJson } from '../../platform/json.ts'
import type { BoxRunOptions } from '../boxes/run-box.ts'
import { boxAddress } from '../hub/running-hub.ts'
import { headlessChoiceOf, withHeadlessOptions } from './headless.ts'
import { brokerUrl, invalidValue, usageError } from './values.ts'

/** As the profiles that come with the hub have it. */
const PRODUCT_KEY = 'soundbox'
/** No separator of topics, no wildcard, and no blank. */
const SERIAL = /^[A-Za-z0-9_.-]{1,64}$/
/** The longest client id, username and password of openLuat's demo. */
const OPENLUAT_CHARACTERS = 16

interface Given {
  dialect: BoxKind
  serial?: string
  password?: string
  boxUrl: string
  productKey?: string
  productSecret?: string
  deviceSecret?: string
  topic?: string
  lang: Language
  pack?: readonly Pack[]
  playReport?: string
  fault?: readonly BoxFault[]
}

/** Whether the arguments ask for a box of another maker. */
export function asksForBox(args: readonly string[]): boolean {
  return args.some((arg) => arg === '--dialect' || arg.startsWith('--dialect='))
}

export function describeBox(env: NodeJS.ProcessEnv): Command {
  const dialect = new Option('--dialect <kind>', 'which box').choices(BOX_KINDS).makeOptionMandatory()
  const lang = new Option('--lang <lang>', 'the language of its voice and its screen').choices(LANGUAGES)
  const command = new Command('simulator --dialect')
    .usage('<kind> [options]')
    .description("A box of another maker in the terminal, with that maker's protocol.")
    .optionsGroup('Box:')
    .addOption(dialect)
    .option('--serial <serial>', 'its serial: 1 to 64 letters, digits, "_", "." or "-"')
    .option('--password <password>', 'the password that it sends; or BOX_PASSWORD in the environment')
    .option('--box-url <url>', "address of the hub's listener for boxes", brokerUrl, boxAddress(env))
    .option('--product-key <key>', `the product (morefun, alink); default: ${PRODUCT_KEY}`)
    .option('--product-secret <secret>', 'computes the password (morefun); or BOX_SECRET in the environment')
    .option('--device-secret <secret>', 'computes the password (alink); or BOX_SECRET in the environment')
    .option('--topic <topic>', "what it listens on, in place of its kind's own topic")
    .addOption(lang.default('vi' satisfies Language))
    .option('--pack <file>', 'the clips that were flashed (clip-numbers; may be repeated)', readPack)
    .option('--play-report <status>', 'reports this play_status after each sound (hemipay)')
    .helpOption('-h, --help', 'show this')
  withHeadlessOptions(command)
  command
    .optionsGroup('Faults:')
    .option('--fault <name>', 'a fault that is on from the start (may be repeated): see below', readFault)
  const width = Math.max(...BOX_FAULTS.map((fault) => fault.length))
  const notes = BOX_FAULTS.map((fault) => `  ${fault.padEnd(width)}  ${BOX_FAULT_NOTES[fault]}`)
  return command.addHelpText('after', ['', 'The names of faults:', ...notes, ''].join('\n'))
}

export function boxOptionsOf(command: Command, env: NodeJS.ProcessEnv): BoxRunOptions {
  const given = command.opts<Given>()
  const { dialect, serial, productKey = PRODUCT_KEY } = given
  const password = given.password ?? env.BOX_PASSWORD
  const secret = (dialect === 'alink' ? given.deviceSecret : given.productSecret) ?? env.BOX_SECRET
  if (serial === undefined) usageError(command, '--serial is missing: `hub device add` prints one.')
  if (!SERIAL.test(serial))
    usageError(command, '--serial: a serial is 1 to 64 letters, digits, "_", "." or "-".')
  const hasProduct = dialect === 'morefun' || dialect === 'alink'
  if (hasProduct && password === undefined && secret === undefined)
    usageError(
      command,
      `--dialect ${dialect} needs ${dialect === 'alink' ? '--device-secret' : '--product-secret'} or --password.`,
    )
  if (dialect === 'openluat' && Math.max(serial.length, password?.length ?? 0) > OPENLUAT_CHARACTERS)
    usageError(
      command,
      `--dialect openluat keeps ${OPENLUAT_CHARACTERS} characters of a serial or a password.`,
    )
  return {
    kind: dialect,
    url: given.boxUrl,
    faults: given.fault ?? [],
    config: boxConfigOf({
      ...{ serial, password, productKey, secret: secret ?? '' },
      ...{ topic: given.topic, lang: given.lang, playReport: given.playReport },
      ...(given.pack && { packs: given.pack }),
    }),
    ...headlessChoiceOf(command),
  }
}

function readFault(name: string, before: readonly BoxFault[] = []): readonly BoxFault[] {
  if (isBoxFault(name)) return [...before, name]
  const meant = guess(name, BOX_FAULTS)
  const instead = meant === undefined ? `there are ${BOX_FAULTS.join(', ')}.` : `did you mean ${meant}?`
  return invalidValue(`There is no such fault; ${instead}`)
}

function readPack(path: string, before: readonly Pack[] = []): readonly Pack[] {
  const read = pack.safeParse(parseJson(textOfFile(path)))
  if (read.success) return [...before, read.data]
  return invalidValue(`${path} is no pack: ${z.prettifyError(read.error)}`)
}

function textOfFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return invalidValue(`${path} can't be read: ${fileTrouble(error)}.`)
  }
}
