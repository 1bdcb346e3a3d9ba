import { Command, CommanderError, Option } from 'commander'
import { ROLES } from '../../operators/session.ts'
import { AUDIT_ACTIONS } from '../../storage/audit.ts'
import { audit } from './audit.ts'
import { backup } from './backup.ts'
import { boxCommands } from './box-probe.ts'
import { type ChecksumOptions, checksum } from './checksum.ts'
import { clockConfirm } from './clock.ts'
import {
  amount,
  EXIT_WRONG_USAGE,
  instant,
  leaf,
  list,
  look,
  notBlank,
  onOne,
  open,
  partnerName,
  serial,
  show,
  upTo,
  url,
  withSharedOptions,
} from './command-parts.ts'
import { consoleLink } from './console.ts'
import { deviceCommands } from './device-command.ts'
import { doctor } from './doctor.ts'
import { importFrom } from './import.ts'
import { listenCommand } from './listen-command.ts'
import { SHOWN } from './listing.ts'
import { masterKeyRotateOnline, masterKeyStatus } from './master-key-online.ts'
import { masterKeyRotate } from './master-key-rotate.ts'
import { printableLines, sentenceOf } from './output.ts'
import * as partner from './partner.ts'
import { pay } from './pay.ts'
import { paymentFind, paymentList } from './payment.ts'
import { profileCommands } from './profile-command.ts'
import { reconcileCommands } from './reconcile-command.ts'
import { restore } from './restore.ts'
import { sizeCommand } from './size.ts'
import { storeList } from './store.ts'
import { configuredFolder, inIdleFolder, lookIntoWorkspace } from './workspace.ts'

const EXIT_FAILED = 1

function partnerCommands(program: Command) {
  const parent = program.command('partner').description('payment partners')
  leaf(parent, 'create', 'create a partner; its secret is shown once')
    .requiredOption('--name <name>', "the partner's name", partnerName)
    .action(open(partner.partnerCreate, { makes: true }))
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

function consoleCommand(program: Command) {
  leaf(
    program,
    'console',
    "make a link that logs a person in to the operators' console, once and within 60 s",
  )
    .option(
      '--name <name>',
      'the person, as the audit will name them; the system user when absent',
      partnerName,
    )
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('operator'))
    .action(open(consoleLink))
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

function masterKeyCommands(program: Command) {
  const parent = program.command('master-key').description('the key that encrypts the database')
  leaf(
    parent,
    'rotate',
    'encrypt everything under a new master key; the hub must be stopped, hubs on PostgreSQL must run with both keys',
  ).action(
    show(() => {
      const { config } = configuredFolder()
      return config.postgres ? masterKeyRotateOnline(config) : inIdleFolder(masterKeyRotate)
    }),
  )
  leaf(
    parent,
    'status',
    'on PostgreSQL: count the values under each master key; fails while an earlier one is needed',
  ).action(show(masterKeyStatus))
}

function createProgram(): Command {
  const program = withSharedOptions(new Command('hub'))
    .description('Operate a Soundbox Hub, whether it is running or not.')
    .showHelpAfterError('(--help prints the usage)')
    .exitOverride()
  partnerCommands(program)
  storeCommands(program)
  deviceCommands(program)
  profileCommands(program)
  boxCommands(program)
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
  listenCommand(program)
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
  reconcileCommands(program)
  masterKeyCommands(program)
  leaf(program, 'backup <file>', 'copy the database to a file, also while the hub is running').action(
    show(backup),
  )
  leaf(program, 'restore <file>', 'replace the database by a backup; the hub must be stopped')
    .option('--force', 'even if the database has payments that are newer than the backup')
    .action(show(restore))
  leaf(program, 'import', 'copy the database of a data folder to PostgreSQL; no hub may run on either')
    .requiredOption('--from <folder>', 'the data folder', notBlank)
    .action(
      show(({ from }: { from: string }, command: Command) =>
        importFrom(from, command.optsWithGlobals().json === true),
      ),
    )
  auditCommand(program)
  consoleCommand(program)
  const clock = program.command('clock').description("the machine's clock")
  leaf(
    clock,
    'confirm',
    'say that the clock is right: retention, which waits after a clock was set, goes on',
  ).action(open(clockConfirm))
  sizeCommand(program)
  leaf(program, 'doctor', 'check everything that the hub needs').action(show(doctor))
  return program
}

/** Runs the command of the process's arguments, and sets the exit code. */
export async function run() {
  try {
    await createProgram().parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code === 'hub.usage') process.stderr.write(`${error.message}\n`)
      process.exitCode = error.exitCode === 0 ? 0 : EXIT_WRONG_USAGE
    } else {
      process.stderr.write(`${printableLines(sentenceOf(error))}\n`)
      process.exitCode = EXIT_FAILED
    }
  }
}
