import type { EventData, EventType } from '../../events/event.ts'
import type { Vault } from '../../security/vault.ts'
import type { Page } from '../shared/pages.ts'

/** Types of parameters that PostgreSQL has to be told. */
export type SqlType = 'text' | 'bigint' | 'boolean' | 'bytea' | 'text[]'

/** One SQL statement that both engines understand. */
export interface Statement {
  /** Stands for the text: each text has a name of its own. */
  name: string
  /** Its parameters are `$1` and so on. */
  text: string
  values: readonly unknown[]
}

/**
 * An act of the storage, told once for both engines: it yields statements, gets the rows of each, and returns its result.
 *
 * Why a generator, and no async function: SQLite carries an act out within one turn of the event loop. Between two turns, a
 * read of the same process would see rows that are not committed.
 */
export type Act<T> = Generator<Step, T, readonly unknown[]>

/** A statement, or several whose answers the act needs together. PostgreSQL gets these in one go. They run in their order. */
export type Step = Statement | readonly Step[]

/** Runs a statement. Its columns have the names and types of `R`. A boolean is a number in SQLite. */
export function* rows<R>(name: string, text: string, values: readonly unknown[] = []): Act<R[]> {
  // The caller knows the columns of its text.
  return (yield { name, text, values }) as R[]
}

/** As `rows`: the first one. */
export function* row<R>(name: string, text: string, values: readonly unknown[] = []): Act<R | undefined> {
  const [first] = yield* rows<R>(name, text, values)
  return first
}

/** Carries out several acts side by side: a step of each goes out with the same step of the others. */
export function* together<T extends readonly unknown[]>(
  ...acts: { readonly [I in keyof T]: Act<T[I]> }
): Act<T> {
  const running = acts.map((act: Act<unknown>) => ({ act, step: act.next() }))
  for (;;) {
    const asking = running.filter(({ step }) => !step.done)
    // Each is in the place of its act.
    if (asking.length === 0) return running.map(({ step }) => step.value) as unknown as T
    // Of an act that is not done, the value is a step. There are as many answers, each with the rows of its own.
    const answers = yield asking.map(({ step }) => step.value as Step)
    for (const [index, one] of asking.entries()) one.step = one.act.next(answers[index] as readonly unknown[])
  }
}

/**
 * Runs one statement for rows of parameters, and returns the rows of all answers. In PostgreSQL it runs once, with an array
 * for each column; in SQLite once for each row, whose columns are plain parameters. A column that a row leaves out is null.
 */
export type PerRow<C extends string> = <R>(given: readonly GivenRow<C>[]) => Act<R[]>
export type GivenRow<C extends string> = { readonly [K in C]?: unknown }

/** How the text of such a statement names the rows of parameters. In SQLite there is none beside the statement's own. */
export interface Given {
  /** The FROM clause of a statement that reads no other rows. */
  from: string
  /** Behind FROM, before tables. */
  rows: string
  /** Behind FROM, before a subquery that names columns of the row of parameters. */
  each: string
}

/** A change of rows that other processes read again: see StorageChange. SQLite alone caches stores. */
export type Revised = 'grants' | 'wishes' | 'stores'

/** An event that no trigger adds. */
export interface NewEvent {
  clientId: string
  type: EventType
  at: number
  data: EventData
}

/** What acts find different in the engines. */
export interface SqlDialect {
  /**
   * Locks the rows that a SELECT finds until the commit. Read them in a later statement: one that waits for a lock reads what
   * was there before. False when there was none to lock. SQLite has one writer at a time, and needs no lock.
   */
  lock(name: string, select: string, values: readonly unknown[]): Act<boolean>
  events(added: readonly NewEvent[]): Act<void>
  /** As `events`, one, and returns its seq. In PostgreSQL whoever gives seqs waits for this commit. */
  eventAtOnce(event: NewEvent): Act<number>
  /** Adds what PostgreSQL keeps of a new device in a row of its own: see device_state. */
  addState(deviceRowId: number): Act<void>
  /** Tells other processes of a change. Call it last: in PostgreSQL other transactions wait here until this one ends. */
  raise(revised: Revised): Act<void>
  /** The number or the sum of a store's payments, as a text: it may be above 2^53. */
  totalOf(column: 'total_transaction' | 'total_amount', storeNumber: string): string
  /** Behind a SELECT: locks its rows, also against rows that refer to them. */
  forUpdate: '' | 'FOR UPDATE'
  /**
   * Carries out the last statements of an act, which can't fail by itself behind them. PostgreSQL gets the COMMIT with them,
   * which saves a round trip.
   */
  lastly<T>(act: Act<T>): Act<T>
  /** Behind a SELECT: locks the rows of this table until the commit. Rows may still refer to them. */
  forChange(table: string): string
  /** As `forUpdate`, and leaves out the rows that another transaction holds. */
  skipLocked: '' | 'FOR UPDATE SKIP LOCKED'
  /** True as a literal: SQLite uses a partial index only for a query that repeats the text of its condition. */
  trueLiteral: '1' | 'true'
  /**
   * Behind FROM: the open announcements `a`, behind which OPEN has to stand. `by` has the columns by which they are found:
   * number, device_number, n and expires_at.
   */
  open: { from: string; by: string }
  /**
   * Tells whether a device `d` with its health `h` is connected. `born` is the condition that it was born under this hub, and
   * has not left since: one hub needs no more. Of several hubs, the device's own must run, and `join` finds that hub.
   * The parts of `away` together find, without a look at whole devices, the numbers of all that are not connected, and
   * perhaps of some more. $1 is the start of the hub.
   * `between` tells the same range of `join` as of the devices: else PostgreSQL goes through all of its rows.
   */
  presence: {
    join: string
    isConnected(born: string): string
    between(from: string, below: string): string
    away: readonly { from: string; number: string; condition: string }[]
  }
  /** The condition that an announcement `a` is of the payment with this number. */
  ofPayment(number: string): string
  /**
   * The condition of those rows of a table that retention deletes one by one, by their key. PostgreSQL drops the others with
   * their partition: see postgres/partitions.
   */
  rowByRow(table: 'payments' | 'events', key: string): string
  /** What has the number of a payment by its partner and its ftCode. */
  paymentKeys: string
  /** Rows that one read looks at. */
  scanned: number
  /** Below the highest number of a row, so many rows may still be added: by transactions that have not committed yet. */
  lateNumbers: number
  /**
   * Behind FROM: the session that owns each device. Its columns: device_number, session_id (null when none owns it),
   * heard_at (the last beat of its hub), is_running (its hub beats). A hub by itself does not beat.
   */
  sessions: string
  /** The condition that a value is in the array of a parameter, as in `among('d.id', '$1')`. */
  among(value: string, parameter: string, type?: SqlType): string
  /** Makes a statement for rows of parameters. `text` names each column of such a row by what it gets under its name. */
  perRow<C extends string>(
    name: string,
    columns: Readonly<Record<C, SqlType>>,
    text: (row: Readonly<Record<C, string>>, given: Given) => string,
  ): PerRow<C>
  /** As `perRow`, for a statement that only locks. SQLite needs no lock, and runs none. */
  lockPerRow: SqlDialect['perRow']
  /** Behind FROM: the `value` of each element of a JSON array, as in `each('$1')`. */
  each(array: string): string
  /**
   * A condition on a value that may be left out. PostgreSQL keeps every text on each connection, and a list has thousands of
   * filters: there one text is for all of them. SQLite gets the conditions that hold alone, which it plans better.
   */
  ifGiven(value: unknown, parameter: string, type: SqlType, condition: string): string
  /** Before a column: keeps SQLite from an index by which the rows would have to be sorted. */
  unindexed: '+' | ''
}

/** What acts need of the engine that carries them out. */
export interface Engine extends SqlDialect {
  /** Seal only in a writing act. */
  vault: Vault
  /** Each call carries out the act in one transaction. The act may run twice. */
  writing<A extends unknown[], T>(act: (...args: A) => Act<T>): (...args: A) => Promise<T>
  /** Each call carries out the act outside a transaction. */
  reading<A extends unknown[], T>(act: (...args: A) => Act<T>): (...args: A) => Promise<T>
  /** As `reading`, for an act that locks rows. */
  readingLocked<A extends unknown[], T>(act: (...args: A) => Act<T>): (...args: A) => Promise<T>
  /**
   * As `writing`, for an act that many devices ask for at once: it gets several calls, and answers each in its place. In
   * PostgreSQL they share a transaction; calls of the same key keep their order, and without `keyOf` all calls do. In SQLite
   * each is an act of its own: there the acts of all kinds share commits.
   */
  batched<A, T>(
    name: string,
    act: (calls: readonly A[]) => Act<T[]>,
    how?: Batching<A>,
  ): (call: A) => Promise<T>
  /** As `batched`, for an act that may be long: each call goes page by page, as in `inPages`. */
  batchedPages<A, C, V>(
    name: string,
    page: (calls: readonly PageCall<A, C>[]) => Act<Page<C, V>[]>,
    keyOf: (call: A) => string,
  ): (call: A, committed: (value: V) => void) => Promise<void>
  /** As `batched`, for reads. Each read begins after its call. */
  gathered<A, T>(name: string, act: (calls: readonly A[]) => Act<T[]>): (call: A) => Promise<T>
  /**
   * Carries out a long act page by page, each in a transaction. `page` gets `first`, then the `next` of the page before,
   * until it returns none. It may run twice: `committed` gets its value once, after its commit. When a page fails, the
   * earlier ones stay.
   */
  inPages<C, V>(first: C, page: (cursor: C) => Act<Page<C, V>>, committed?: (value: V) => void): Promise<void>
  /** Caches the answers of one kind of read until the revision of the grants changes. Undefined is not cached. */
  cachedByGrants<V extends object>(): (key: string, read: () => Act<V | undefined>) => Promise<V | undefined>
  /**
   * Keeps the master key in force as it is until the commit. For what is found by its keyed hash: two acts must not store one
   * value under two keys.
   */
  holdKey(): Act<void>
}

/** How an act shares commits. */
export interface Batching<A> {
  keyOf?: (call: A) => string
  /** A call may wait for PATIENCE_MS. In SQLite, the writer's table of acts says so. */
  isPatient?: boolean
}

/**
 * A patient call waits at most this long for another one, to share its commit. The PUBACK to an ack, and the device's next
 * command, come that much later: the device is still speaking.
 *
 * Why: a payment has two acks. Measured on SQLite at 50 and 200 payments a second: a payment takes 1.3 and 0.9 commits;
 * 1.8 and 1.0 with a wait of 10 ms; 2.8 and 2.5 without. A wait of 40 ms saves 0.2 more at 50 a second.
 */
export const PATIENCE_MS = 25

/** A page of a call: the first one has no cursor. */
export interface PageCall<A, C> {
  call: A
  cursor: C | undefined
}

/** Carries out an act at once. `run` answers a statement. */
export function carryOut<T>(act: Act<T>, run: (statement: Statement) => readonly unknown[]): T {
  let step = act.next()
  while (!step.done) step = act.next(answerTo(step.value, run))
  return step.value
}

function answerTo(asked: Step, run: (statement: Statement) => readonly unknown[]): readonly unknown[] {
  return 'text' in asked ? run(asked) : asked.map((one) => answerTo(one, run))
}

/** As `carryOut`, an act for several calls that gets a single one. */
export function carryOutOne<A, T>(
  act: (calls: readonly A[]) => Act<T[]>,
  call: A,
  run: (statement: Statement) => readonly unknown[],
): T {
  const [answer] = carryOut(act([call]), run)
  // It answers each call.
  return answer as T
}

/** As `carryOut`, waiting for each answer. */
export async function carryOutAsync<T>(
  act: Act<T>,
  run: (statement: Statement) => Promise<readonly unknown[]>,
): Promise<T> {
  const answer = (asked: Step): Promise<readonly unknown[]> =>
    'text' in asked ? run(asked) : Promise.all(asked.map(answer))
  let step = act.next()
  while (!step.done) step = act.next(await answer(step.value))
  return step.value
}

/** A value for each of these columns. */
export function forColumns<C extends string, V>(
  columns: Readonly<Record<C, unknown>>,
  value: (column: C, index: number) => V,
): Record<C, V> {
  // They are the columns of its type.
  const all = (Object.keys(columns) as C[]).map((column, index) => [column, value(column, index)])
  return Object.fromEntries(all) as Record<C, V>
}

/** A value as a JSON parameter. PostgreSQL stores no NUL and no lone surrogate: a device may send both. */
export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'string' ? one.toWellFormed().replaceAll('\0', '\ufffd') : one,
  )
}

/** A JSON column as it is read: SQLite has a text. */
export function fromJson<T extends object>(stored: T | string): T
export function fromJson<T extends object>(stored: T | string | null): T | null
export function fromJson<T extends object>(stored: T | string | null): T | null {
  // The column holds what a writing act has stored there.
  return typeof stored === 'string' ? (JSON.parse(stored) as T) : stored
}
