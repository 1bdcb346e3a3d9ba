import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { SERIAL_PATTERN } from '../../devices/device.ts'
import { MOST_AT_ONCE } from '../../devices/mint-devices.ts'
import type { SettingsChange } from '../../settings/settings.ts'
import { backup } from './backup.ts'
import { checksum } from './checksum.ts'
import * as device from './device.ts'
import { doctor } from './doctor.ts'
import { masterKeyRotate } from './master-key-rotate.ts'
import { type Outcome, print, sentenceOf } from './output.ts'
import * as partner from './partner.ts'
import { type PayOptions, pay } from './pay.ts'
import { restore } from './restore.ts'
import { inIdleFolder, inWorkspace, type Workspace } from './workspace.ts'

const EXIT_FAILED = 1
const EXIT_WRONG_USAGE = 2

/** Accepts an argument that matches the pattern; refuses any other with the sentence. */
function matching(pattern: RegExp, issue: string) {
  return (value: string) => {
    if (!pattern.test(value)) throw new InvalidArgumentError(issue)
    return value
  }
}

const serial = matching(SERIAL_PATTERN, 'A serial has 4 to 32 letters, digits, underscores or hyphens.')
const amount = matching(AMOUNT_PATTERN, 'An amount has 1 to 13 digits, without a leading zero.')
const url = matching(/^https?:\/\//, 'An address starts with http:// or https://.')
const notBlank = matching(/\S/, 'It must not be blank.')
const serialPrefix = matching(
  /^[A-Za-z0-9_-]{1,27}$/,
  'A prefix has 1 to 27 letters, digits, underscores or hyphens.',
)
const partnerName = matching(
  /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u,
  'A name has 1 to 128 characters, none of them invisible.',
)
const percent = matching(/^(100|[1-9]?[0-9])$/, 'A volume is a number from 0 to 100.')
const tooMany = `Give a number from 1 to ${MOST_AT_ONCE}; for more, run several commands.`
const digits = matching(/^[1-9][0-9]{0,9}$/, tooMany)

function count(value: string): number {
  const devices = Number(digits(value))
  if (devices > MOST_AT_ONCE) throw new InvalidArgumentError(tooMany)
  return devices
}

/** A command that does something, in contrast to a group of commands. */
function leaf(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print one line of JSON')
}

/** Runs a command and prints its outcome. Commander calls an action with the command as `this`. */
function show<Args extends unknown[]>(run: (...args: Args) => Promise<Outcome>) {
  return async function (this: Command, ...args: Args) {
    print(await run(...args), this.optsWithGlobals().json === true)
  }
}

function required(value: string | undefined, what: string): string {
  if (value === undefined)
    throw new CommanderError(EXIT_WRONG_USAGE, 'hub.missing', `error: ${what} is missing`)
  return value
}

type Act = (workspace: Workspace, name: string) => Promise<Outcome>

function partnerCommands(program: Command) {
  const parent = program.command('partner').description('payment partners')
  leaf(parent, 'create', 'create a partner; its secret is shown once')
    .requiredOption('--name <name>', "the partner's name", partnerName)
    .action(show(({ name }: { name: string }) => inWorkspace((w) => partner.partnerCreate(w, name))))
  leaf(parent, 'list', 'list all partners').action(show(() => inWorkspace(partner.partnerList)))
  const onPartner = (name: string, description: string, act: Act) =>
    leaf(parent, `${name} [clientId]`, description)
      .option('--client <id>', 'the client id, as an option')
      .action(
        show((id: string | undefined, { client }: { client?: string }) =>
          inWorkspace((w) => act(w, required(id ?? client, 'a client id'))),
        ),
      )
  onPartner('disable', 'refuse a partner from now on', partner.partnerDisable)
  onPartner('enable', 'enable a disabled partner; it must log in again', partner.partnerEnable)
  onPartner(
    'rotate-secret',
    'give a partner a new secret; the old one works for a day, or until the next rotation',
    partner.partnerRotateSecret,
  )
}

function deviceCommands(program: Command) {
  const parent = program.command('device').description('speakers')
  leaf(parent, 'add', 'create a device; its key is shown once')
    .option('--serial <serial>', 'its serial; a random one when absent', serial)
    .addOption(
      new Option('--count <number>', 'create several, one line of JSON each')
        .argParser(count)
        .conflicts('serial'),
    )
    .addOption(
      new Option('--prefix <text>', 'the text before the numbers of their serials')
        .argParser(serialPrefix)
        .conflicts('serial'),
    )
    .action(
      show((options: device.DeviceAddOptions) => {
        if (options.prefix !== undefined && options.count === undefined) required(undefined, '--count')
        return inWorkspace((w) => device.deviceAdd(w, options))
      }),
    )
  leaf(parent, 'list', 'list all devices').action(show(() => inWorkspace(device.deviceList)))
  leaf(parent, 'revoke [serial]', "end a device's access for good")
    .option('--serial <serial>', 'the serial, as an option')
    .action(
      show((which: string | undefined, options: { serial?: string }) =>
        inWorkspace((w) => device.deviceRevoke(w, required(which ?? options.serial, 'a serial'))),
      ),
    )
  leaf(parent, 'identify <serial>', 'make a connected device beep and flash').action(
    show((which: string) => inWorkspace((w) => device.deviceIdentify(w, which))),
  )
  leaf(parent, 'settings <serial>', "show a device's settings, or change them by the options")
    .option('--volume <percent>', 'loudness, 0 to 100', (value) => Number(percent(value)))
    .addOption(new Option('--lang <language>', 'language of its announcements').choices(LANGUAGES))
    .action(
      show((which: string, change: SettingsChange) =>
        inWorkspace((w) => device.deviceSettings(w, which, change)),
      ),
    )
}

function createProgram(): Command {
  const program = new Command('hub')
    .description('Operate a Soundbox Hub, whether it is running or not.')
    .option('--json', 'print one line of JSON')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
  partnerCommands(program)
  deviceCommands(program)
  leaf(program, 'pay', 'act as the payment processor: sign a callback and send it')
    .requiredOption('--client <id>', "the partner's client id")
    .requiredOption('--terminal <id>', "the store's terminalID", notBlank)
    .requiredOption('--bank <code>', 'the bank code', notBlank)
    .requiredOption('--amount <dong>', 'the amount in đồng', amount)
    .option('--bill <number>', 'the bill number')
    .option('--twice', 'send the same callback twice')
    .option('--bad-checksum', 'send a wrong checksum')
    .option('--url <url>', "the hub's address; found in the data folder when absent", url)
    .action(show((options: PayOptions) => inWorkspace((w) => pay(w, options))))
  leaf(program, 'checksum', "explain a callback's checksum")
    .requiredOption('--explain <file>', "file with the callback's JSON body, or - for standard input")
    .option('--secret <secret>', "the client secret; all partners' are tried when absent")
    .action(
      show(({ explain, secret }: { explain: string; secret?: string }) =>
        inWorkspace((w) => checksum(w, explain, secret)),
      ),
    )
  const masterKey = program.command('master-key').description('the key that encrypts the database')
  leaf(masterKey, 'rotate', 'encrypt everything under a new master key; the hub must be stopped').action(
    show(() => inIdleFolder(masterKeyRotate)),
  )
  leaf(program, 'backup <file>', 'copy the database to a file, also while the hub is running').action(
    show((file: string) => backup(file)),
  )
  leaf(program, 'restore <file>', 'replace the database by a backup; the hub must be stopped')
    .option('--force', 'even if the database has payments that are newer than the backup')
    .action(show((file: string, { force }: { force?: true }) => restore(file, force === true)))
  leaf(program, 'doctor', 'check everything that the hub needs').action(show(() => doctor()))
  return program
}

/** Runs the command of the process's arguments, and sets the exit code. */
export async function run() {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'hub.missing') process.stderr.write(`${error.message}\n`)
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_WRONG_USAGE
    } else {
      process.stderr.write(`${sentenceOf(error)}\n`)
      process.exitCode = EXIT_FAILED
    }
  }
}
