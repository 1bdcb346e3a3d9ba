import type { CallOptions } from '../calls/options.ts'
import { rowsOf } from './lists.ts'
import { PaymentOperations } from './payments.ts'
import type { Query, Rows } from './sender.ts'

/** A bank's statements, and the accounts of a day. */
export class StatementOperations extends PaymentOperations {
  /**
   * Imports a bank's statement: XML is camt.053, and everything else CSV, which needs a profile. A file that was imported
   * before is 40910.
   */
  importStatement(
    file: string | Uint8Array<ArrayBuffer>,
    query?: Query<'importStatement'>,
    options?: CallOptions,
  ) {
    const head = typeof file === 'string' ? file.slice(0, 64) : new TextDecoder().decode(file.subarray(0, 64))
    const type = /^[\ufeff\s]*</.test(head) ? 'application/xml' : 'text/csv'
    return this.send('importStatement', { query, file: { type, content: file } }, options)
  }

  /** A page of statements. `statements` goes through all. */
  listStatements(query?: Query<'listStatements'>, options?: CallOptions) {
    return this.send('listStatements', { query }, options)
  }

  /** All statements, newest first. */
  statements(query: Query<'listStatements'> = {}, options?: CallOptions): Rows<'listStatements'> {
    return rowsOf(query, (page) => this.listStatements(page, options))
  }

  getStatement(id: string, options?: CallOptions) {
    return this.send('getStatement', { path: { id } }, options)
  }

  /** A page of a statement's rows. `rowsOfStatement` goes through all. */
  statementRows(id: string, query?: Query<'statementRows'>, options?: CallOptions) {
    return this.send('statementRows', { path: { id }, query }, options)
  }

  /** All rows of a statement, of a bucket or of all. */
  rowsOfStatement(
    id: string,
    query: Query<'statementRows'> = {},
    options?: CallOptions,
  ): Rows<'statementRows'> {
    return rowsOf(query, (page) => this.statementRows(id, page, options))
  }

  /** All rows of a statement, and the payments without one, as a whole CSV file. */
  statementRowsCsv(id: string, query?: Query<'statementRows'>, options?: CallOptions) {
    return this.csv('statementRows', query, options, { id })
  }

  /** A day of the accounts: what the bank says, what the hub says, and whether both agree. */
  reconcileDay(query?: Query<'reconcileDay'>, options?: CallOptions) {
    return this.send('reconcileDay', { query }, options)
  }

  /** The same as a whole CSV file. */
  reconcileDayCsv(query?: Query<'reconcileDay'>, options?: CallOptions) {
    return this.csv('reconcileDay', query, options)
  }
}
