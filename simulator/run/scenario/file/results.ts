import { guess } from '../../../../protocol/text/nearest.ts'
import type { Issue } from './issues.ts'
import { eventFields, type SpeakerKind } from './pattern.ts'
import { SNAPSHOT_FIELDS } from './snapshot.ts'

/** What the results of steps contain, which `as` names: known before anything runs. */

const PAY_FIELDS = ['ftCode', 'traceTransfer', 'amount', 'bill', 'terminalID']
const REGISTER_FIELDS = ['code', 'storeId', 'terminalID']

/** The results of the steps so far. */
export class Results {
  readonly known = new Map<string, readonly string[]>()
  readonly #payments = new Set<string>()

  /** Takes a step in. Reports names that there are not, or that are taken. */
  add(raw: unknown, variables: ReadonlyMap<string, unknown>, kind: SpeakerKind): Issue[] {
    const { as, of, again, pay }: Record<string, unknown> = Object(raw)
    const issues = [...this.#paymentIssues('of', of), ...this.#paymentIssues('again', again)]
    if (typeof as !== 'string') return issues
    this.known.set(as, fieldsOf(Object(raw), kind))
    if (pay !== undefined) this.#payments.add(as)
    else this.#payments.delete(as)
    if (!variables.has(as)) return issues
    return [...issues, { path: ['as'], message: `there is a variable "${as}" already` }]
  }

  #paymentIssues(field: string, name: unknown): Issue[] {
    if (typeof name !== 'string' || this.#payments.has(name)) return []
    const meant = guess(name, this.#payments)
    const instead = meant === undefined ? `; name one by \`as: ${name}\`` : `; did you mean "${meant}"?`
    return [{ path: [field], message: `there is no payment "${name}" before this step${instead}` }]
  }
}

function fieldsOf({ pay, register, expect }: Record<string, unknown>, kind: SpeakerKind): readonly string[] {
  if (pay !== undefined) return PAY_FIELDS
  if (register !== undefined) return REGISTER_FIELDS
  if (expect === undefined) return SNAPSHOT_FIELDS
  return eventFields(String(typeof expect === 'string' ? expect : Object(expect).event), kind) ?? []
}
