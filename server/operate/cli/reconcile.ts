import { readFileSync, statSync } from 'node:fs'
import { formatAmount } from '../../../protocol/money/amount.ts'
import { isoInstant } from '../../platform/clock.ts'
import { ERRORS, HubError, OperatorError, reason } from '../../platform/errors.ts'
import { csvParts } from '../../platform/lists/csv.ts'
import { createSlices } from '../../platform/lists/slices.ts'
import { flatPages, rowsFile } from '../../reconciliation/files.ts'
import { HUB_PLACES } from '../../reconciliation/match/summary.ts'
import { BUCKETS, LOCAL_ZONE, MOST_BYTES } from '../../reconciliation/model/statement.ts'
import { reconcile as reconciliation } from '../../reconciliation/reconcile.ts'
import type { RowsBucket } from '../../reconciliation/show-statement.ts'
import { toDayJson, toStatementJson, toSumsJson } from '../../reconciliation/to-json.ts'
import { createMatchings } from '../../reconciliation/worker/client.ts'
import { when } from '../for-people.ts'
import { done, fields, linewise, type Outcome, refused, table } from './output.ts'
import type { Workspace } from './workspace.ts'

export type Reconciling = Pick<Workspace, 'storage' | 'clock' | 'ids' | 'by'>

/** A command makes no pages: its cursors never leave it. */
const PLAIN_CURSORS = {
  make: (_list: string, _clientId: string, place: readonly string[]) => place.join(' '),
  read: (_list: string, _clientId: string, cursor: string) => cursor.split(' '),
}

export function verbsOf({ storage: { statements }, clock, ids }: Reconciling) {
  const parts = { slices: createSlices(), cursors: PLAIN_CURSORS, matchings: createMatchings() }
  return reconciliation({ statements, clock, ids, ...parts })
}

/** Runs a verb; a refusal of the hub becomes one of the command. */
export async function tried(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const [code, message] = ERRORS[error.kind]
    const details = error.details.map(({ field, issue }) => `${field}: ${issue}`)
    return refused(
      { code, error: error.kind, message, details: error.details },
      [message, ...details].join('\n  '),
    )
  }
}

export function readBytes(file: string): Buffer {
  try {
    // A pipe has no size: then the limit holds for what was read.
    if (statSync(file).size > MOST_BYTES) throw new OperatorError(`${file} is larger than 20 MB.`)
    return readFileSync(file)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`${file} can't be read: ${reason(error)}.`)
  }
}

export const balance = (amount: number | undefined) =>
  amount === undefined ? 'unknown' : formatAmount(amount)

export interface ImportOptions {
  client: string
  account: string
  profile?: string
}

export function reconcileImport(
  workspace: Reconciling,
  file: string,
  { client: clientId, account, profile }: ImportOptions,
): Promise<Outcome> {
  const verbs = verbsOf(workspace)
  return tried(async () => {
    if (!(await workspace.storage.partners.find(clientId)))
      return refused({ clientId }, `There is no partner ${clientId}: see hub partner list.`)
    const bytes = readBytes(file)
    const id = await verbs.importStatement(workspace.by, { clientId, account, profile, bytes })
    return describe(await verbs.showStatement(undefined, id))
  })
}

export interface ShowOptions {
  client?: string
  account?: string
  date?: string
  zone?: string
}

/** Shows a statement; without an id those of a partner, or one of its days. */
export function reconcileShow(
  workspace: Reconciling,
  id: string | undefined,
  options: ShowOptions,
): Promise<Outcome> {
  const { client = '', account, date, zone = LOCAL_ZONE } = options
  const verbs = verbsOf(workspace)
  return tried(async () => {
    if (id !== undefined) return describe(await verbs.showStatement(undefined, id))
    if (date !== undefined) {
      const day = await verbs.dayOf(client, { date, zone, account })
      const texts = day.accounts.flatMap((one) => [
        `Account ${one.account}`,
        sumsText(one.sums),
        balanced(one.unbalanced),
      ])
      return done(
        toDayJson(day),
        `${day.date} ${day.zone}`,
        ...(texts.length > 0 ? texts : ['No statement yet.']),
      )
    }
    const { rows } = await verbs.listStatements(client, { limit: 1_000 })
    const cells = rows.map(({ statement, unbalanced }) => [
      ...[
        statement.id,
        statement.account,
        `${statement.from} to ${statement.to}`,
        String(statement.rowCount),
      ],
      ...[statement.state, unbalanced.length === 0 ? 'balanced' : unbalanced.join(' ')],
    ])
    return done(
      rows.map(toStatementJson),
      table(['ID', 'ACCOUNT', 'DAYS', 'ROWS', 'STATE', 'BALANCE'], cells, 'No statement yet.'),
    )
  })
}

export interface DecideOptions {
  row: number
  payment?: string
}

export function reconcileDecide(
  workspace: Reconciling,
  id: string,
  { row, payment }: DecideOptions,
): Promise<Outcome> {
  return tried(async () => {
    const decided = await verbsOf(workspace).decide(workspace.by, id, row, payment)
    const json = { id, row, payment: payment ?? null, ...decided }
    switch (decided.kind) {
      case 'decided':
        return done(json, `Row ${row} is ${decided.bucket} now.`)
      case 'row_not_found':
        return refused(json, `The statement has no row ${row}.`)
      case 'payment_not_found':
        return refused(json, `The account has no payment ${payment}.`)
      case 'not_open':
        return refused(json, `Row ${row} is ${decided.bucket}: there is nothing to decide.`)
      case 'taken':
        return refused(json, `Row ${decided.n} of the statement ${decided.statementId} has this payment.`)
    }
  })
}

export function reconcileSign(
  workspace: Reconciling,
  id: string,
  { note = '' }: { note?: string },
): Promise<Outcome> {
  return tried(async () => {
    const signed = await verbsOf(workspace).sign(workspace.by, id, note)
    const { unbalanced } = signed
    if (signed.kind === 'note_needed')
      return refused(
        { id, signed: false, unbalanced },
        `It is not balanced (${unbalanced.join(', ')}): add --note.`,
      )
    const { at, signedBy, hash } = signed.signOff
    return done(
      { id, signed: true, at: isoInstant(at), signedBy, note: signed.signOff.note, hash, unbalanced },
      `${signedBy} has signed off the statement; its hash is ${hash}.`,
    )
  })
}

/** All rows of a statement and the payments without one, as CSV, or as a line of JSON each. */
export function reconcileExport(
  workspace: Reconciling,
  id: string,
  { bucket, asJson }: { bucket?: RowsBucket; asJson: boolean },
): Promise<Outcome> {
  return tried(async () => {
    const { statement, pages } = await verbsOf(workspace).exportRows(undefined, id, bucket)
    const { columns, toLine } = rowsFile(statement)
    const flat = flatPages(pages, toLine)
    if (asJson) {
      const lines = (await all(flat)).flat()
      const instant = (at: number | undefined) => (at === undefined ? undefined : isoInstant(at))
      return linewise(
        done(
          lines.map((one) => ({ ...one, at: instant(one.at), decidedAt: instant(one.decidedAt) })),
          '',
        ),
      )
    }
    return { ...done({ id }, ''), verbatim: (await all(csvParts(columns, flat))).join('') }
  })
}

async function all<T>(parts: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const part of parts) found.push(part)
  return found
}

type Shown = Awaited<ReturnType<ReturnType<typeof verbsOf>['showStatement']>>

function describe(shown: Shown): Outcome {
  const { statement, sums, unbalanced, signOffs, isChangedSince } = shown
  const signed = signOffs.map(
    (one) => `Signed off by ${one.signedBy} on ${when(one.at)}${one.note && `: ${one.note}`}`,
  )
  return done(
    toStatementJson(shown),
    `Statement ${statement.id}`,
    fields({
      partner: statement.clientId,
      account: statement.account,
      days: `${statement.from} to ${statement.to} (${statement.zone})`,
      rows: String(statement.rowCount),
      opening: balance(statement.opening),
      closing: balance(statement.closing),
    }),
    sumsText(sums),
    balanced(unbalanced),
    ...signed,
    ...(isChangedSince ? ['CHANGED SINCE it was signed off.'] : []),
  )
}

const balanced = (unbalanced: readonly string[]) =>
  unbalanced.length === 0 ? 'BALANCED' : `NOT BALANCED: ${unbalanced.join(', ')}`

function sumsText(sums: Shown['sums']): string {
  const { bank, hub } = toSumsJson(sums)
  const rows = [...BUCKETS, 'hub_only' as const].map((name) => {
    const ofBank = name === 'hub_only' ? undefined : bank[name]
    const ofHub = HUB_PLACES.some((one) => one === name)
      ? hub[name as (typeof HUB_PLACES)[number]]
      : undefined
    return [
      ...[name, ofBank ? String(ofBank.count) : '-', ofBank ? formatAmount(ofBank.credit) : '-'],
      ...[
        ofBank ? formatAmount(ofBank.debit) : '-',
        ofHub ? String(ofHub.count) : '-',
        ofHub ? formatAmount(ofHub.amount) : '-',
      ],
    ]
  })
  return table(['BUCKET', 'ROWS', 'CREDITS', 'DEBITS', 'PAYMENTS', 'AMOUNT'], rows, '')
}
