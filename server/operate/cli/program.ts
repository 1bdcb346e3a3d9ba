import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import { AMOUNT_PATTERN } from '../../../protocol/money/amount.ts'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { SERIAL_PATTERN } from '../../devices/device.ts'
import { MOST_AT_ONCE } from '../../devices/mint-devices.ts'
import { systemClock } from '../../platform/clock.ts'
import { CURSOR_PATTERN } from '../../platform/page.ts'
import type { SettingsChange } from '../../settings/settings.ts'
import { AUDIT_ACTIONS } from '../../storage/audit.ts'
import { readInstant } from '../instant.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { type ChecksumOptions, checksum } from './checksum.ts'
import * as device from './device.ts'
import { deviceList, deviceShow } from './device-look.ts'
import { doctor } from './doctor.ts'
import { masterKeyRotate } from './master-key-rotate.ts'
import { type Outcome, print, printableLines, SHOWN, sentenceOf } from './output.ts'
import * as partner from './partner.ts'
import { pay } from './pay.ts'
import { paymentFind, paymentList } from './payment.ts'
import { restore } from './restore.ts'
import { storeList } from './store.ts'
import { inIdleFolder, inWorkspace, lookIntoWorkspace, type Workspace } from './workspace.ts'

const EXIT_FAILED = 1
const EXIT_WRONG_USAGE = 2
/** Rows that one command lists; each takes about a kilobyte of memory. */
const MOST_ROWS = 100_000

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
const percent = matching(/^(100|[1-9]?[0-9])$/, 'A percentage is a number from 0 to 100.')

function count(value: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(value) && Number(value) <= MOST_AT_ONCE) return Number(value)
  throw new InvalidArgumentError(`Give a number from 1 to ${MOST_AT_ONCE}; for more, run several commands.`)
}

function instant(value: string): number {
  const at = readInstant(value, systemClock.now())
  if (at !== undefined) return at
  throw new InvalidArgumentError(
    'Give a time back such as 90s, 10m, 24h or 7d, or ISO 8601 (without an offset: UTC).',
  )
}

function limit(value: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(value) && Number(value) <= MOST_ROWS) return Number(value)
  throw new InvalidArgumentError(`Give a number from 1 to ${MOST_ROWS}; --after continues.`)
}

const cursor = matching(CURSOR_PATTERN, 'Give the `cursor` of the last row that you have.')

/** A command that lists rows. `all` says what it lists without a limit. */
function list(parent: Command, description: string, all: string): Command {
  return leaf(parent, 'list', description)
    .option('--client <id>', 'only of this partner')
    .option('--limit <number>', `at most so many; without it ${all}`, limit)
    .option('--after <cursor>', 'those that follow the row with this cursor', cursor)
}

/** A command that does something, in contrast to a group of commands. */
function leaf(parent: Command, usage: string, description: string): Command {
  return parent.command(usage).description(description).option('--json', 'print one line of JSON')
}

/** Runs a command and prints its outcome. Commander calls an action with the command as `this`. */
function show<Args extends unknown[]>(run: (...args: Args) => Outcome | Promise<Outcome>) {
  return async function (this: Command, ...args: Args) {
    print(await run(...args), this.optsWithGlobals().json === true)
  }
}

/** Like `show`, for a command that only looks into the data folder. */
function look<Args extends unknown[]>(run: (workspace: Workspace, ...args: Args) => Promise<Outcome>) {
  return show((...args: Args) => lookIntoWorkspace((workspace) => run(workspace, ...args)))
}

/** Like `show`, for a command that changes something in the data folder. */
function open<Args extends unknown[]>(run: (workspace: Workspace, ...args: Args) => Promise<Outcome>) {
  return show((...args: Args) => inWorkspace((workspace) => run(workspace, ...args)))
}

function missing(what: string): CommanderError {
  return new CommanderError(EXIT_WRONG_USAGE, 'hub.missing', `error: ${what} is missing`)
}

/** A command on one partner or device, whose name is given as an argument or as an option. */
function onOne(
  parent: Command,
  [usage, option, what]: readonly [usage: string, option: string, what: string],
  description: string,
  act: (workspace: Workspace, name: string) => Promise<Outcome>,
) {
  leaf(parent, usage, description)
    .option(option, `the ${what}, as an option`)
    .action(
      show((argument: string | undefined, options: { client?: string; serial?: string }) => {
        const name = argument ?? options.client ?? options.serial
        if (name === undefined) throw missing(`a ${what}`)
        return inWorkspace((workspace) => act(workspace, name))
      }),
    )
}

function partnerCommands(program: Command) {
  const parent = program.command('partner').description('payment partners')
  leaf(parent, 'create', 'create a partner; its secret is shown once')
    .requiredOption('--name <name>', "the partner's name", partnerName)
    .action(open(partner.partnerCreate))
  leaf(parent, 'list', 'list all partners').action(look(partner.partnerList))
  const usage = (verb: string) => [`${verb} [clientId]`, '--client <id>', 'client id'] as const
  onOne(parent, usage('disable'), 'refuse a partner from now on', partner.partnerDisable)
  onOne(parent, usage('enable'), 'enable a disabled partner; it must log in again', partner.partnerEnable)
  onOne(
    parent,
    usage('rotate-secret'),
    'give a partner a new secret; the old one works for a day, or until the next rotation',
    partner.partnerRotateSecret,
  )
}

function deviceCommands(program: Command) {
  const parent = program.command('device').description('speakers')
  const onlyWithoutSerial = (flags: string, description: string, parse: (value: string) => unknown) =>
    new Option(flags, description).argParser(parse).conflicts('serial')
  leaf(parent, 'add', 'create a device; its key is shown once')
    .option('--serial <serial>', 'its serial; a random one when absent', serial)
    .addOption(onlyWithoutSerial('--count <number>', 'create several, one line of JSON each', count))
    .addOption(
      onlyWithoutSerial('--prefix <text>', 'the text before the numbers of their serials', serialPrefix),
    )
    .action(
      show((options: device.DeviceAddOptions) => {
        if (options.prefix !== undefined && options.count === undefined) throw missing('--count')
        return inWorkspace((workspace) => device.deviceAdd(workspace, options))
      }),
    )
  list(parent, 'list devices, newest first', `${SHOWN} on a terminal, and all as JSON`)
    .addOption(
      new Option('--state <state>', 'only these').choices(['online', 'offline', 'locked', 'free', 'revoked']),
    )
    .option('--serial-prefix <text>', 'only serials that begin so', serialPrefix)
    .option(
      '--silent-since <time>',
      'only those away and not seen since, such as 10m or an ISO time',
      instant,
    )
    .option('--low-battery <percent>', 'only those that reported at most this', (value) =>
      Number(percent(value)),
    )
    .action(look(deviceList))
  leaf(parent, 'show <serial>', 'show all about a device, and why it is silent')
    .option('--client <id>', 'the partner who asks: tells when the device belongs to another')
    .action(look(deviceShow))
  const revoke = ['revoke [serial]', '--serial <serial>', 'serial'] as const
  onOne(parent, revoke, "end a device's access for good", device.deviceRevoke)
  leaf(parent, 'identify <serial>', 'make a connected device beep and flash').action(
    open(device.deviceIdentify),
  )
  leaf(parent, 'settings <serial>', "show a device's settings, or change them by the options")
    .option('--volume <percent>', 'loudness, 0 to 100', (value) => Number(percent(value)))
    .addOption(new Option('--lang <language>', 'language of its announcements').choices(LANGUAGES))
    .action(
      show((serial: string, change: SettingsChange) => {
        const isChange = change.volume !== undefined || change.lang !== undefined
        const into = isChange ? inWorkspace : lookIntoWorkspace
        return into((workspace) => device.deviceSettings(workspace, serial, change))
      }),
    )
}

/** A whole number from 1 to the highest. */
function upTo(highest: number) {
  return (value: string) => {
    const number = /^[1-9][0-9]{0,15}$/.test(value) ? Number(value) : 0
    if (number >= 1 && number <= highest) return number
    throw new InvalidArgumentError(`Give a number from 1 to ${highest}.`)
  }
}

function auditCommand(program: Command) {
  leaf(program, 'audit', 'who changed what and when, the newest first')
    .option('--since <time>', 'only changes since an ISO time, or as long ago as 30m, 24h or 7d', instant)
    .option('--actor <name>', 'a system user, a client id or hub; or a kind: operator, partner, hub')
    .option('--action <prefix>', `the beginning of an action: ${AUDIT_ACTIONS.join(', ')}`)
    .option('--subject <name>', 'a serial, a store id, a client id or a file')
    .option('--limit <number>', 'rows of a page', upTo(1000), 50)
    .option('--before <id>', 'the page before this row', upTo(Number.MAX_SAFE_INTEGER))
    .action(look(audit))
}

function storeCommands(program: Command) {
  const parent = program.command('store').description('shops')
  list(parent, 'list shops, newest first', `${SHOWN} on a terminal, and all as JSON`)
    .option('--terminal <id>', 'only this terminalID')
    .option('--name <text>', 'only names with this text, without regard to case and marks', notBlank)
    .action(look(storeList))
}

function paymentCommands(program: Command) {
  const parent = program.command('payment').description('payments, and who has heard them')
  leaf(parent, 'find <code>', 'find a payment by its ftCode, id, traceTransfer or bill number')
    .option('--client <id>', 'only of this partner')
    .option('--since <time>', 'how far back to look for a trace or a bill; 30 days when absent', instant)
    .action(look(paymentFind))
  list(parent, 'list payments, newest first', String(SHOWN))
    .addOption(new Option('--store <id>', 'only of this store').conflicts('terminal'))
    .option('--terminal <id>', 'only of stores with this terminalID')
    .option('--serial <serial>', 'only those announced by this device', serial)
    .option('--since <time>', 'received then or later: 24h (when absent), 7d or an ISO time', instant)
    .option('--until <time>', 'received before', instant)
    .action(look(paymentList))
}

function createProgram(): Command {
  const program = new Command('hub')
    .description('Operate a Soundbox Hub, whether it is running or not.')
    .option('--json', 'print one line of JSON')
    .showHelpAfterError('(add --help for the usage)')
    .exitOverride()
  partnerCommands(program)
  storeCommands(program)
  deviceCommands(program)
  paymentCommands(program)
  leaf(program, 'pay', 'act as the payment processor: sign a callback and send it')
    .requiredOption('--client <id>', "the partner's client id")
    .requiredOption('--terminal <id>', "the store's terminalID", notBlank)
    .requiredOption('--bank <code>', 'the bank code', notBlank)
    .requiredOption('--amount <dong>', 'the amount in đồng', amount)
    .option('--bill <number>', 'the bill number')
    .option('--twice', 'send the same callback twice')
    .option('--bad-checksum', 'send a wrong checksum')
    .option('--url <url>', "the hub's address; found in the data folder when absent", url)
    .action(look(pay))
  leaf(program, 'checksum', "explain a callback's checksum")
    .requiredOption('--explain <file>', "file with the callback's JSON body, or - for standard input")
    .option('--secret <secret>', "the client secret; all partners' are tried when absent")
    .action(
      show((options: ChecksumOptions) =>
        options.secret === undefined
          ? lookIntoWorkspace((workspace) => checksum(options, workspace))
          : checksum(options),
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
  auditCommand(program)
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
      process.stderr.write(`${printableLines(sentenceOf(error))}\n`)
      process.exitCode = EXIT_FAILED
    }
  }
}
