import type { CodeVerdict } from '../../../devices/verification-code.ts'
import type { StorageRules } from '../../rules.ts'
import { sealedFields } from '../../shared/sealed-columns.ts'
import { type Act, type Engine, row, rows } from '../act.ts'
import type { DeviceRow } from '../device-rows.ts'
import { codesBefore, storeQuota } from './code-records.ts'

export type LabelRules = Pick<StorageRules, 'isLabel' | 'countCode' | 'codesPerDevice' | 'freeAgainAt'>

interface Presented {
  clientId: string
  label: string
  newCodeId: string
}

/**
 * Judges a label. Each wrong one counts as a code that was issued and burnt, so that guesses at labels and requests for
 * codes have one quota. A device without a label has nothing to be guessed. The right label stays good.
 */
export function* spendLabel(
  { vault }: Pick<Engine, 'vault'>,
  rules: LabelRules,
  { id, rowId, serial }: DeviceRow,
  { clientId, label, newCodeId }: Presented,
  at: number,
): Act<{ verdict: CodeVerdict | 'quota'; isNewest: false; freeAgainAt: number }> {
  const judged = (verdict: CodeVerdict | 'quota', freeAgainAt = at) =>
    ({ verdict, isNewest: false, freeAgainAt }) as const
  const known = yield* row<{ key: Buffer; hash: Buffer | null }>(
    'labels.find',
    'SELECT key, label_hash AS hash FROM devices WHERE number = $1',
    [rowId],
  )
  if (!known?.hash) return judged('none')
  const before = yield* codesBefore(clientId, id, rules.codesPerDevice)
  const quota = rules.countCode(before, at)
  if (!quota) return judged('quota', rules.freeAgainAt(before, at))
  const key = sealedFields(vault, 'devices').open(id, 'key', known.key)
  if (rules.isLabel({ key, serial, hash: known.hash }, label)) return judged('right')
  yield* storeQuota(clientId, id, quota)
  // The hash of no code: nothing that is presented later is compared with it.
  yield* rows(
    'labels.burn',
    `INSERT INTO verification_codes (id, device_id, client_id, hash, state, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, 'burnt', $5, $5)`,
    [newCodeId, id, clientId, Buffer.alloc(0), at],
  )
  return judged('wrong')
}
