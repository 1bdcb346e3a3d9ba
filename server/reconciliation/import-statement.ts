import type { Clock } from '../platform/clock.ts'
import { fieldError, HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import type { Actor } from '../security/actor.ts'
import { addContext, type ContextDeps } from './context.ts'
import type { FileHead } from './formats/preview.ts'
import { CAMT, type NamedProfile } from './formats/profile.ts'
import { daysOf } from './match/days.ts'
import type { Target } from './match/session.ts'
import { plainAccount, Unreadable } from './model/statement.ts'
import { IMPORT_DIES_MS, type NewRow, type NewStatement, type StatementRecords } from './ports.ts'
import type { Matchings } from './worker/client.ts'
import type { Matching } from './worker/matching.ts'

/** An import says that it lives at least this often while it reads. */
const HOLD_EVERY_MS = 2_000
/** Between two looks whether the import of another statement is over, or has died. */
const LOOK_EVERY_MS = 500

export interface ImportDeps extends ContextDeps {
  matchings: Matchings
  clock: Pick<Clock, 'now' | 'after'>
  ids: Pick<Ids, 'uuid'>
}

export interface StatementImport {
  clientId: string
  /** Undefined: the only account that the file names. */
  account: string | undefined
  /** Of a saved profile. Undefined or `camt.053`: the file is XML. */
  profile: string | undefined
  bytes: Uint8Array
}

/** The error of a file that can't be read, with its line and the reason. */
function unreadable({ line, message }: Unreadable): HubError {
  return fieldError('STATEMENT_UNREADABLE', line > 0 ? `line ${line}` : 'file', message)
}

/** Calls `read`; throws STATEMENT_UNREADABLE for Unreadable. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof Unreadable ? unreadable(error) : error
  }
}

/** The saved profile of a name. Throws VALIDATION_FAILED. */
export async function profileOf(
  statements: Pick<StatementRecords, 'profiles'>,
  name: string | undefined,
): Promise<NamedProfile | undefined> {
  if (name === undefined || name === CAMT) return undefined
  const found = (await statements.profiles()).find((one) => one.name === name)
  if (!found) throw fieldError('VALIDATION_FAILED', 'profile', 'is not the name of a saved profile')
  return found
}

export function importStatement(deps: ImportDeps) {
  const { statements, matchings } = deps

  /**
   * Imports a file for a partner and one account, and returns the id of its statement. A file that can't be read, and an
   * import that fails, leave nothing. Throws STATEMENT_UNREADABLE with line and reason, STATEMENT_KNOWN with the id of the
   * first one, and STATEMENT_UNDER_WAY.
   */
  return async function run(by: Actor, asked: StatementImport): Promise<string> {
    const saved = await profileOf(statements, asked.profile)
    const matching = await matchings.inThread()
    try {
      const reading = { account: asked.account, profile: saved?.profile }
      const statement = newStatement(deps, asked, await readable(() => matching.read(asked.bytes, reading)))
      const accountId = await begin(deps, by, statement)
      try {
        if (await store(deps, by, statement, accountId, matching)) return statement.id
      } catch (error) {
        await statements.abandon(statement.id).catch(() => undefined)
        throw error
      }
      throw new HubError('UNAVAILABLE')
    } finally {
      await matching.end()
    }
  }
}

function newStatement(
  { ids, clock }: ImportDeps,
  { clientId, account, profile }: StatementImport,
  head: FileHead,
): NewStatement {
  const of = account ?? head.account
  if (of === undefined)
    throw fieldError('VALIDATION_FAILED', 'account', 'is required: the file does not name it')
  const span = daysOf(head.zone)
  return {
    ...head,
    ...{ id: ids.uuid(), clientId, account: plainAccount(of), importedAt: clock.now() },
    profile: head.format === 'csv' ? profile : undefined,
    fromAt: span(head.from).from,
    untilAt: span(head.to).until,
  }
}

/** Begins, when no other statement of the account is being imported any more. Throws STATEMENT_KNOWN. */
async function begin({ statements, clock }: ImportDeps, by: Actor, statement: NewStatement): Promise<string> {
  for (let waitedMs = 0; waitedMs <= 2 * IMPORT_DIES_MS; waitedMs += LOOK_EVERY_MS) {
    const begun = await statements.begin(by, { ...statement, importedAt: clock.now() })
    if (begun.kind === 'begun') return begun.accountId
    if (begun.kind === 'known') throw fieldError('STATEMENT_KNOWN', 'id', begun.id)
    await new Promise<void>((resolve) => clock.after(LOOK_EVERY_MS, resolve))
  }
  throw new HubError('STATEMENT_UNDER_WAY', { retryAfterS: IMPORT_DIES_MS / 1_000 })
}

/** Matches and stores the rows of a statement that has begun. False when it was removed meanwhile. */
async function store(
  deps: ImportDeps,
  by: Actor,
  statement: NewStatement,
  accountId: string,
  matching: Matching,
): Promise<boolean> {
  const { statements, clock } = deps
  const { id, clientId, zone, from, to } = statement
  let heldAt = clock.now()
  const alive = async () => {
    if (clock.now() - heldAt < HOLD_EVERY_MS) return
    heldAt = clock.now()
    await statements.hold(id, heldAt)
  }
  await statements.collect(id)
  await statements.hold(id, clock.now())
  const { version } = await statements.state(accountId)
  const target: Target = { id, from, to }
  // None of its rows is stored.
  await addContext(deps, matching, { clientId, accountId, zone, targets: [target], alive })
  await matching.addFile(id)
  const [result] = await matching.run(zone, [target])
  if (!result) throw new Error('each target has a summary')
  for (let skip = 0; ; ) {
    const [lines, outcomes] = [await matching.lines(skip), await matching.outcomes(skip)]
    if (lines.length === 0) break
    const rows = lines.flatMap((line, index): NewRow[] => {
      const found = outcomes[index]
      return found ? [{ ...line, ...found }] : []
    })
    if (!(await statements.addRows(id, rows, clock.now()))) return false
    skip += lines.length
  }
  return statements.finish(by, id, { version, summary: result.summary }, clock.now())
}
