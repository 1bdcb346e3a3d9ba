import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { language } from '../../../protocol/messages/fields.ts'
import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'
import { MOST_AT_ONCE } from '../../devices/mint-devices.ts'
import type { SettingsChange } from '../../settings/settings.ts'
import { backup } from './backup.ts'
import { checksum } from './checksum.ts'
import { type DeviceAddOptions, deviceAdd } from './device-add.ts'
import { deviceIdentify } from './device-identify.ts'
import { deviceList } from './device-list.ts'
import { deviceRevoke } from './device-revoke.ts'
import { deviceSettings } from './device-settings.ts'
import { doctor } from './doctor.ts'
import { masterKeyRotate } from './master-key-rotate.ts'
import { type Outcome, print, sentenceOf } from './output.ts'
import { partnerCreate } from './partner-create.ts'
import { partnerDisable } from './partner-disable.ts'
import { partnerEnable } from './partner-enable.ts'
import { partnerList } from './partner-list.ts'
import { partnerRotateSecret } from './partner-rotate-secret.ts'
import { type PayOptions, pay } from './pay.ts'
import { restore } from './restore.ts'
import { inIdleFolder, inWorkspace } from './workspace.ts'

const EXIT_FAILED = 1
const EXIT_WRONG_USAGE = 2

/** Parses an argument, or refuses it with a sentence. */
function matching(pattern: RegExp, issue: string) {
  return (value: string) => {
    if (!pattern.test(value)) throw new InvalidArgumentError(issue)
    return value
  }
}

const serial = matching(SERIAL_PATTERN, 'A serial has 4 to 32 letters, digits, underscores or hyphens.')
const amount = matching(AMOUNT_PATTERN, 'An amount has 1 to 13 digits, without a leading zero.')
const url = matching(/^https?:\/\//, 'An address starts with http:// or https://.')
/** A loudness in percent. */
function volume(value: string): number {
  if (!/^(100|[1-9]?[0-9])$/.test(value))
    throw new InvalidArgumentError('A volume is a number from 0 to 100.')
  return Number(value)
}

const serialPrefix = matching(
  /^[A-Za-z0-9_-]{1,27}$/,
  'A prefix has 1 to 27 letters, digits, underscores or hyphens.',
)

/** How many devices to mint. */
function count(value: string): number {
  const many = /^[1-9][0-9]{0,9}$/.test(value) ? Number(value) : 0
  if (many < 1 || many > MOST_AT_ONCE)
    throw new InvalidArgumentError(`Give a number from 1 to ${MOST_AT_ONCE}: more takes several commands.`)
  return many
}

const notBlank = matching(/\S/, 'It must not be blank.')
const partnerName = matching(
  /^(?=.*\S)[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,128}$/u,
  'A name has 1 to 128 characters, none of them invisible.',
)

/** A command of the last level, which does something. */
function leaf(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print one line of JSON')
}

/** Does a command's work and prints its outcome; Commander calls an action with the command as `this`. */
function show<Args extends unknown[]>(run: (...args: Args) => Promise<Outcome>) {
  return async function (this: Command, ...args: Args) {
    print(await run(...args), this.optsWithGlobals().json === true)
  }
}

/** What a command is about: given as its argument or by name. */
function named(value: string | undefined, what: string): string {
  if (value === undefined)
    throw new CommanderError(EXIT_WRONG_USAGE, 'hub.missing', `error: ${what} is missing`)
  return value
}

function partnerCommands(program: Command) {
  const partner = program.command('partner').description('payment partners')
  leaf(partner, 'create', 'make a partner; its secret is shown once')
    .requiredOption('--name <name>', "the partner's name", partnerName)
    .action(show(({ name }: { name: string }) => inWorkspace((w) => partnerCreate(w, name))))
  leaf(partner, 'list', 'all partners').action(show(() => inWorkspace(partnerList)))
  leaf(partner, 'disable [clientId]', 'refuse a partner from now on')
    .option('--client <id>', 'the same, by name')
    .action(
      show((id: string | undefined, { client }: { client?: string }) =>
        inWorkspace((w) => partnerDisable(w, named(id ?? client, 'a client id'))),
      ),
    )
  leaf(partner, 'enable [clientId]', 'take a disabled partner back; it must log in again')
    .option('--client <id>', 'the same, by name')
    .action(
      show((id: string | undefined, { client }: { client?: string }) =>
        inWorkspace((w) => partnerEnable(w, named(id ?? client, 'a client id'))),
      ),
    )
  leaf(
    partner,
    'rotate-secret [clientId]',
    'give a partner a new secret; the old one lives on for a day, or until the next rotation',
  )
    .option('--client <id>', 'the same, by name')
    .action(
      show((id: string | undefined, { client }: { client?: string }) =>
        inWorkspace((w) => partnerRotateSecret(w, named(id ?? client, 'a client id'))),
      ),
    )
}

function deviceCommands(program: Command) {
  const device = program.command('device').description('speakers')
  leaf(device, 'add', 'mint a device; its key is shown once')
    .option('--serial <serial>', 'its serial; left out, one is made up', serial)
    .addOption(
      new Option('--count <number>', 'mint so many, a line of JSON each')
        .argParser(count)
        .conflicts('serial'),
    )
    .addOption(
      new Option('--prefix <text>', 'what the serials of many begin with; numbers follow')
        .argParser(serialPrefix)
        .conflicts('serial'),
    )
    .action(
      show((options: DeviceAddOptions) => {
        if (options.prefix !== undefined && options.count === undefined) named(undefined, '--count')
        return inWorkspace((w) => deviceAdd(w, options))
      }),
    )
  leaf(device, 'list', 'all devices').action(show(() => inWorkspace(deviceList)))
  leaf(device, 'revoke [serial]', "end a device's access for good")
    .option('--serial <serial>', 'the same, by name')
    .action(
      show((which: string | undefined, options: { serial?: string }) =>
        inWorkspace((w) => deviceRevoke(w, named(which ?? options.serial, 'a serial'))),
      ),
    )
  leaf(device, 'identify <serial>', 'have a connected device beep and flash').action(
    show((which: string) => inWorkspace((w) => deviceIdentify(w, which))),
  )
  leaf(device, 'settings <serial>', "a device's settings, wanted and in use; with options, change them")
    .option('--volume <percent>', 'loudness, 0 to 100', volume)
    .addOption(new Option('--lang <language>', 'language of its announcements').choices(language.options))
    .action(
      show((which: string, change: SettingsChange) => inWorkspace((w) => deviceSettings(w, which, change))),
    )
}

function createProgram(): Command {
  const program = new Command('hub')
    .description('Operate a Soundbox Hub: beside a running one, or without it.')
    .option('--json', 'print one line of JSON')
    .showHelpAfterError('(add --help for how it is used)')
    .exitOverride()
  partnerCommands(program)
  deviceCommands(program)
  leaf(program, 'pay', 'play the payment processor: sign a callback and send it')
    .requiredOption('--client <id>', "the partner's client id")
    .requiredOption('--terminal <id>', "the store's terminalID", notBlank)
    .requiredOption('--bank <code>', 'the bank code', notBlank)
    .requiredOption('--amount <dong>', 'the amount in đồng', amount)
    .option('--bill <number>', 'the bill number')
    .option('--twice', 'send the same callback twice')
    .option('--bad-checksum', 'send a wrong checksum')
    .option('--url <url>', 'where the hub is; left out, it is found by the data folder', url)
    .action(show((options: PayOptions) => inWorkspace((w) => pay(w, options))))
  leaf(program, 'checksum', "explain a callback's checksum")
    .requiredOption('--explain <file>', "file with the callback's JSON body, or - for standard input")
    .option('--secret <secret>', "the client secret; left out, every partner's is tried")
    .action(
      show(({ explain, secret }: { explain: string; secret?: string }) =>
        inWorkspace((w) => checksum(w, explain, secret)),
      ),
    )
  const masterKey = program.command('master-key').description('the key that seals the database')
  leaf(masterKey, 'rotate', 'seal everything under a new master key; the hub must not run').action(
    show(() => inIdleFolder(masterKeyRotate)),
  )
  leaf(program, 'backup <file>', 'copy the database to a file, also while the hub works').action(
    show((file: string) => backup(file)),
  )
  leaf(program, 'restore <file>', 'put a backup in the place of the database; the hub must not run')
    .option('--force', 'even where the present database holds payments from after the backup')
    .action(show((file: string, { force }: { force?: true }) => restore(file, force === true)))
  leaf(program, 'doctor', 'look at everything that the hub needs').action(show(() => doctor()))
  return program
}

/** Runs the command that the arguments name; sets the exit code. */
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
