import { type Command, Option } from 'commander'
import { isDate, isZone } from '../../platform/time/zone-day.ts'
import { PROFILE_NAME } from '../../reconciliation/formats/profile.ts'
import { BUCKETS } from '../../reconciliation/model/statement.ts'
import type { RowsBucket } from '../../reconciliation/show-statement.ts'
import { leaf, matching, notBlank, open, reading, show, upTo, wrongUsage } from './command-parts.ts'
import * as reconcile from './reconcile.ts'
import { type ProfileOptions, reconcileProfile } from './reconcile-profile.ts'
import { inWorkspace } from './workspace.ts'

const MOST_NOTE = 1_000

const date = reading((value) => (isDate(value) ? value : undefined), 'Give a date as YYYY-MM-DD.')
const zone = reading(
  (value) => (isZone(value) ? value : undefined),
  'Give a name of the time zone database, as Asia/Ho_Chi_Minh.',
)
const profileName = matching(
  PROFILE_NAME,
  'A name has 1 to 32 letters, digits, dots, hyphens or underscores.',
)
const account = matching(/^[A-Za-z0-9 .-]{4,48}$/, 'An account has 4 to 34 letters and digits.')
const note = matching(new RegExp(`^[^]{1,${MOST_NOTE}}$`), `A note has 1 to ${MOST_NOTE} characters.`)

/** `hub reconcile`: the day against the bank's statement. */
export function reconcileCommands(program: Command) {
  const parent = program.command('reconcile').description("the day against the bank's statement")
  leaf(parent, 'profile [name]', "list the profiles of banks' CSV files; preview and save one")
    .option('--from <file>', 'the profile, as JSON', notBlank)
    .option(
      '--sample <file>',
      'a file of the bank: its first 20 rows are shown as the profile reads them',
      notBlank,
    )
    .option('--save', 'save the profile under the name')
    .action(
      show((name: string | undefined, options: ProfileOptions) => {
        const { from, sample, save } = options
        if ((from !== undefined || sample !== undefined || save) && (!name || !from || !sample))
          throw wrongUsage('a name, --from and --sample belong together')
        const checked = name === undefined ? name : profileName(name)
        return inWorkspace((workspace) => reconcileProfile(workspace, checked, options))
      }),
    )
  leaf(parent, 'import <file>', 'import a statement, CSV or camt.053, of one account of a partner')
    .requiredOption('--client <id>', "the partner's client id", notBlank)
    .requiredOption('--account <number>', 'the account', account)
    .option('--profile <name>', 'how the CSV is read; camt.053 needs none', profileName)
    .action(open(reconcile.reconcileImport))
  leaf(parent, 'show [id]', "show a statement; without an id a partner's statements, or one of its days")
    .option('--client <id>', "the partner's client id", notBlank)
    .option('--date <date>', 'the day, as YYYY-MM-DD', date)
    .option('--zone <zone>', 'the zone of the day; Asia/Ho_Chi_Minh when absent', zone)
    .option('--account <number>', 'only this account', account)
    .action(
      show((id: string | undefined, options: reconcile.ShowOptions) => {
        if (id === undefined && options.client === undefined) throw wrongUsage('give an id, or --client')
        return inWorkspace((workspace) => reconcile.reconcileShow(workspace, id, options))
      }),
    )
  leaf(parent, 'decide <id>', 'say which payment a row is')
    .requiredOption('--row <number>', 'the number of the row', upTo(999_999))
    .option('--payment <id>', 'its payment', notBlank)
    .addOption(new Option('--none', 'it has no payment').conflicts('payment'))
    .action(
      show((id: string, options: reconcile.DecideOptions & { none?: boolean }) => {
        if (options.payment === undefined && !options.none) throw wrongUsage('give --payment or --none')
        return inWorkspace((workspace) => reconcile.reconcileDecide(workspace, id, options))
      }),
    )
  leaf(parent, 'sign <id>', 'sign a statement off as it is now')
    .option('--note <text>', 'why; required when it is not balanced', note)
    .action(open(reconcile.reconcileSign))
  leaf(parent, 'export <id>', 'write the rows of a statement as CSV, and the payments that no row has')
    .addOption(new Option('--bucket <bucket>', 'only this bucket').choices([...BUCKETS, 'hub_only']))
    .action(
      show((id: string, { bucket }: { bucket?: RowsBucket }, command: Command) =>
        inWorkspace((workspace) =>
          reconcile.reconcileExport(workspace, id, {
            ...(bucket && { bucket }),
            asJson: command.optsWithGlobals().json === true,
          }),
        ),
      ),
    )
}
