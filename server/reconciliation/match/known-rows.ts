import type { Line } from '../model/statement.ts'

type Identified = Pick<Line, 'date' | 'at' | 'direction' | 'amount' | 'references' | 'text'>

/**
 * The rows that an account has, by what two of its statements have in common when they have the same row. Each is found
 * once: of two alike in a file, the second is new when the account has one.
 */
export class KnownRows {
  /** Ids, the first one last. */
  readonly #ids = new Map<string, string[]>()
  readonly #taken = new Set<string>()

  constructor(rows: readonly (Identified & { id: string })[]) {
    for (const row of rows.toSorted(byFallingId))
      for (const key of [keyOf(row), timedKeyOf(row, row.at)]) {
        const ids = this.#ids.get(key)
        if (ids) ids.push(row.id)
        else this.#ids.set(key, [row.id])
      }
  }

  /** The id of the row that a line of a file repeats. Undefined: the line is new. */
  take(line: Identified): string | undefined {
    // A code tells rows apart. Without one, the time does: that of a known row is the same, or its bank gives none.
    const isTold = line.references.length > 0 || line.at === undefined
    const keys = isTold ? [keyOf(line)] : [timedKeyOf(line, line.at), timedKeyOf(line, undefined)]
    for (const key of keys) {
      const ids = this.#ids.get(key) ?? []
      for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
        if (this.#taken.has(id)) continue
        this.#taken.add(id)
        return id
      }
    }
    return undefined
  }
}

/** The text tells rows without a code apart: banks write it in other words in another format. */
function keyOf({ date, direction, amount, references: [code], text }: Identified): string {
  return JSON.stringify([date, direction, amount, code ?? '', code === undefined ? text : ''])
}

function timedKeyOf(row: Identified, at: number | undefined): string {
  return `${keyOf(row)} ${at ?? 'no time'}`
}

function byFallingId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? 1 : -Number(one.id > other.id)
}
