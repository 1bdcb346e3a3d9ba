import type { Tx } from './pool.ts'

/** What a revision counts changes of: see StorageChange. */
export type Revised = 'grants' | 'wishes'

/** Tells every hub and command that something has changed. */
export interface Revisions {
  /** All revisions. Each rises with every change, at the commit of the change. */
  all(): Promise<Map<Revised, number>>
  of(query: Tx['query'], name: Revised): Promise<number>
}

export function createRevisions(read: Tx['query']): Revisions {
  return {
    async all() {
      const rows = await read<{ name: Revised; revision: number }>(
        'revisions.all',
        'SELECT name, revision FROM revisions',
      )
      return new Map(rows.map(({ name, revision }) => [name, revision]))
    },
    async of(query, name) {
      const [row] = await query<{ revision: number }>(
        'revisions.of',
        'SELECT revision FROM revisions WHERE name = $1',
        [name],
      )
      if (!row) throw new Error(`the database has no revision of the ${name}`)
      return row.revision
    },
  }
}
