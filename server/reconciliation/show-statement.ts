import { HubError } from '../platform/errors.ts'
import type { Cursors } from '../platform/lists/cursors.ts'
import { placeOf } from '../platform/lists/walk.ts'
import { balanceOf, type Unbalanced } from './balance.ts'
import { dateAfter } from './match/days.ts'
import type { DaySums } from './match/summary.ts'
import type { Bucket } from './model/statement.ts'
import type { KnownPayment, SignOff, Statement, StatementRow } from './ports.ts'
import { createRefresh, type RefreshDeps } from './refresh.ts'

/** Rows that one read returns: a millisecond, with what has to be unsealed. */
const AT_ONCE = 250
const LIST = 'statements'
/** Of cursors. */
const ID = /^[0-9a-f-]{36}$/
const NUMBER = /^\d{1,9}$/
const PAYMENT = /^\d{1,16} [0-9a-f-]{36}$/

/** A bucket of rows, or the payments of the hub that no row has. */
export type RowsBucket = Bucket | 'hub_only'

/** A row, or a payment without one. */
export type StatementLine = { row: StatementRow } | { payment: KnownPayment }

export interface ShownStatement {
  statement: Statement
  sums: DaySums
  /** Empty: it is balanced. */
  unbalanced: Unbalanced[]
  /** The oldest first. */
  signOffs: SignOff[]
  /** Something has come since the last sign-off, or a person has decided. */
  isChangedSince: boolean
}

/** Looks at statements: each of these brings what it shows up to date first. Without a client: of any partner. */
export interface StatementViews {
  /** Throws STATEMENT_NOT_FOUND. */
  showStatement(clientId: Client, id: string): Promise<ShownStatement>
  /** A page of a partner's statements, newest first. They show what was found when they were last looked at. */
  listStatements(
    clientId: string,
    page: PageOf,
  ): Promise<{ rows: ShownStatement[]; next: string | undefined }>
  /**
   * A page of a statement's rows by their number, of a bucket or of all; `hub_only`: the payments without a row, by their
   * time. A page may have fewer than `limit`. Throws STATEMENT_NOT_FOUND.
   */
  statementRows(
    clientId: Client,
    id: string,
    bucket: RowsBucket | undefined,
    page: PageOf,
  ): Promise<LinesPage>
  /** All of them, read as they are asked for. Without a bucket, rows and then payments without one. */
  exportRows(
    clientId: Client,
    id: string,
    bucket: RowsBucket | undefined,
  ): Promise<{ statement: Statement; pages: AsyncGenerator<StatementLine[], void> }>
}

interface PageOf {
  limit: number
  cursor?: string | undefined
}

interface LinesPage {
  /** Of the statement. */
  zone: string
  lines: StatementLine[]
  next: string | undefined
}

interface ShowDeps extends RefreshDeps {
  cursors: Cursors
}

/** Undefined: of any partner, for the operator. */
type Client = string | undefined

export function showStatements(deps: ShowDeps): StatementViews {
  const { statements, slices, cursors } = deps
  const refresh = createRefresh(deps)
  const { linesBehind, allLines } = readLines(deps)

  /** Throws STATEMENT_NOT_FOUND. */
  async function findStatement(clientId: Client, id: string): Promise<Statement> {
    const found = await statements.find(clientId, id)
    if (!found) throw new HubError('STATEMENT_NOT_FOUND')
    return found
  }

  async function fresh(clientId: Client, id: string): Promise<Statement> {
    const found = await findStatement(clientId, id)
    await refresh(found)
    return findStatement(clientId, id)
  }

  async function shown(statement: Statement): Promise<ShownStatement> {
    const signOffs = await statements.signOffs(statement.id)
    const last = signOffs.at(-1)
    const isChangedSince = last !== undefined && last.hash !== statement.summary.hash
    return { statement, ...balanceOf(statement), signOffs, isChangedSince }
  }

  return {
    showStatement: async (clientId, id) => shown(await fresh(clientId, id)),

    async listStatements(clientId, { limit, cursor }) {
      const [after] = placeOf(cursors, { list: LIST, clientId, cursor }, ID)
      const found = await slices.run(clientId, () => statements.list(clientId, { limit, after }))
      const last = found.at(-1)?.id
      const rows: ShownStatement[] = []
      for (const one of found) rows.push(await shown(one))
      const next =
        found.length < limit || last === undefined ? undefined : cursors.make(LIST, clientId, [last])
      return { rows, next }
    },

    async statementRows(clientId, id, bucket, { limit, cursor }) {
      const statement = await (cursor === undefined ? fresh(clientId, id) : findStatement(clientId, id))
      const list = `${LIST}/${id}/${bucket ?? ''}`
      const owner = statement.clientId
      const place = placeOf(
        cursors,
        { list, clientId: owner, cursor },
        bucket === 'hub_only' ? PAYMENT : NUMBER,
      )
      const after = place.length === 0 ? undefined : place.join(' ')
      const { lines, next } = await linesBehind(statement, bucket, { limit, after })
      const { zone } = statement
      return {
        zone,
        lines,
        next: next === undefined ? undefined : cursors.make(list, owner, next.split(' ')),
      }
    },

    async exportRows(clientId, id, bucket) {
      const statement = await fresh(clientId, id)
      return { statement, pages: allLines(statement, bucket) }
    },
  }
}

/** The rows of statements, and payments without a row. */
function readLines({ statements, slices }: Pick<ShowDeps, 'statements' | 'slices'>) {
  /** The lines of a bucket behind a place. `next` is undefined at the end. */
  async function linesBehind(
    { id, clientId, accountId, fromAt, untilAt }: Statement,
    bucket: RowsBucket | undefined,
    { limit, after }: { limit: number; after: string | undefined },
  ): Promise<{ lines: StatementLine[]; next: string | undefined }> {
    if (bucket !== 'hub_only') {
      const page = { bucket, after: Number(after ?? 0), limit }
      const rows = await slices.run(clientId, () => statements.rows(id, page))
      return {
        lines: rows.map((row) => ({ row })),
        next: rows.length < limit ? undefined : String(rows.at(-1)?.n),
      }
    }
    const [paidAt, paymentId] = after?.split(' ') ?? []
    const place =
      paymentId === undefined ? undefined : { ...NO_PAYMENT, paidAt: Number(paidAt), id: paymentId }
    const time = { from: fromAt, until: untilAt }
    const payments = await slices.run(clientId, () =>
      statements.payments(accountId, time, { after: place, limit }),
    )
    const used = await statements.used(payments.map((one) => one.id))
    const last = payments.at(-1)
    return {
      lines: payments.filter((one) => !used.has(one.id)).map((payment) => ({ payment })),
      next: payments.length < limit ? undefined : `${last?.paidAt} ${last?.id}`,
    }
  }

  /** Without a bucket, every row, and then the payments that no row has. */
  async function* allLines(
    statement: Statement,
    bucket: RowsBucket | undefined,
  ): AsyncGenerator<StatementLine[], void> {
    for (let after: string | undefined; ; ) {
      const { lines, next } = await linesBehind(statement, bucket, { limit: AT_ONCE, after })
      yield lines
      if (next === undefined) break
      after = next
    }
    if (bucket === undefined) yield* allLines(statement, 'hub_only')
  }

  return { linesBehind, allLines }
}

const NO_PAYMENT: KnownPayment = {
  ...{ id: '', paidAt: 0, amount: 0, ftCode: '', traceTransfer: '', billNumber: '', terminalID: '' },
}

/** The days of an account around one. */
export const aroundDay = (date: string) => ({ from: dateAfter(date, -1), to: dateAfter(date, 1) })
