import type { Clock } from '../platform/clock.ts'
import { HubError } from '../platform/errors.ts'
import type { Ids } from '../platform/ids.ts'
import { type Actor, mayChange } from '../security/actor.ts'
import { balanceOf, type Unbalanced } from './balance.ts'
import type { Bucket } from './model/statement.ts'
import type { SignOff, Statement } from './ports.ts'
import { createRefresh, type RefreshDeps } from './refresh.ts'

/** Attempts while payments and decisions come in. */
const ATTEMPTS = 5
/** Characters of a note. */
export const MOST_NOTE = 1_000

export type Decision =
  | { kind: 'decided'; bucket: Bucket }
  | { kind: 'row_not_found' }
  /** It is no credit, an earlier statement has it, or it was taken back. */
  | { kind: 'not_open'; bucket: Bucket }
  /** The account has no such payment. */
  | { kind: 'payment_not_found' }
  /** Another row has the payment: of this statement, or of another one. */
  | { kind: 'taken'; statementId: string; n: number }

export type Signed =
  | { kind: 'signed'; signOff: SignOff; unbalanced: Unbalanced[] }
  | { kind: 'note_needed'; unbalanced: Unbalanced[] }

interface DecideDeps extends RefreshDeps {
  clock: Pick<Clock, 'now'>
  ids: Pick<Ids, 'uuid'>
}

/** What people decide. Each of these is in the audit with their name, and throws STATEMENT_NOT_FOUND. */
export function decideAndSign(deps: DecideDeps) {
  const { statements, clock, ids } = deps
  const refresh = createRefresh(deps)

  async function owned(by: Actor, id: string): Promise<Statement> {
    const found = await statements.find(undefined, id)
    if (!found || !mayChange(by, found.clientId)) throw new HubError('STATEMENT_NOT_FOUND')
    return found
  }

  return {
    /** Gives a row its payment, by the payment's id, or says that it has none. A later decision replaces an earlier one. */
    async decide(by: Actor, id: string, n: number, paymentId: string | undefined): Promise<Decision> {
      const statement = await owned(by, id)
      await refresh(statement)
      const { clientId, account } = statement
      const payment =
        paymentId === undefined ? 'none' : await statements.payment(clientId, account, paymentId)
      if (payment === undefined) return { kind: 'payment_not_found' }
      const decided = await statements.decide(by, { statementId: id, n }, payment, clock.now())
      if (decided.kind === 'not_found') return { kind: 'row_not_found' }
      if (decided.kind !== 'taken') return decided
      const [statementId = '', number] = decided.row.split('/')
      return { kind: 'taken', statementId, n: Number(number) }
    },

    /**
     * Signs a statement off as it is now: counts, sums and a hash are kept for ever, and what comes later shows as changed
     * since. What is not balanced needs a note.
     */
    async sign(by: Actor, id: string, note: string): Promise<Signed> {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
        await refresh(await owned(by, id))
        const statement = await owned(by, id)
        const { version } = await statements.state(statement.accountId)
        const { sums, unbalanced } = balanceOf(statement)
        if (unbalanced.length > 0 && note.trim() === '') return { kind: 'note_needed', unbalanced }
        const { opening, closing, rowCount, sha256, summary } = statement
        const snapshot = JSON.stringify({ opening, closing, rowCount, sha256, unbalanced, ...sums })
        const { hash } = summary
        const signOff = {
          id: ids.uuid(),
          statementId: id,
          at: clock.now(),
          note: note.trim(),
          hash,
          snapshot,
        }
        if (!(await statements.sign(by, signOff, version))) continue
        const stored = (await statements.signOffs(id)).find((one) => one.id === signOff.id)
        if (stored) return { kind: 'signed', signOff: stored, unbalanced }
      }
      throw new HubError('UNAVAILABLE')
    },
  }
}
