import type { AnnouncementTrail, SoundProof, Stage } from '../../announcements/announcement.ts'
import type { Payment, PaymentOutcome } from '../../payments/payment.ts'
import type { PaymentView, StageSum } from '../../payments/ports.ts'
import type { Vault } from '../../security/vault.ts'
import type { StorageRules } from '../rules.ts'
import { createPaymentSealer } from './sealed-columns.ts'
import { withoutNulls } from './without-nulls.ts'

/** A payment as it is read. */
export interface PaymentRow extends Omit<Payment, 'amount' | 'notice' | 'contentHash'> {
  rowId: number
  storeId: string
  billId: string | null
  outcome: PaymentOutcome
  amount: number
  sealed: Buffer
}

/** The columns of an announcement that its trail shows. */
export type TrailRow = Record<`${Exclude<Stage, 'delivered'>}At`, number | null> & {
  n: number | null
  stage: Stage
  reason: string | null
  proof: SoundProof | null
  mayRepeat: number | null
}

/** Maps a row to a payment with the stages of its announcements. */
export function createPaymentMapping(vault: Vault) {
  const sealer = createPaymentSealer(vault)
  return function toView(row: PaymentRow, announcements: AnnouncementTrail[]): PaymentView {
    const { rowId, storeId, outcome, billId, sealed, amount, ...fields } = row
    const { notice, contentHash } = sealer.open(row.id, sealed)
    return {
      payment: { ...fields, amount: String(amount), notice, contentHash },
      storeId,
      outcome,
      announcements,
    }
  }
}

/** Sums as they are read: each stage is a bit, and the amount is a text, because it may be above 2^53. */
export type SumRow = Omit<StageSum, 'stages' | 'amount'> & { stages: number | null; amount: string }

export function toSum({ stages }: Pick<StorageRules, 'stages'>, row: SumRow): StageSum {
  const reached = (_: Stage, index: number) => ((row.stages ?? 0) & (1 << index)) !== 0
  return { ...row, stages: stages.filter(reached), amount: BigInt(row.amount) }
}

export function toTrail(
  { stages }: Pick<StorageRules, 'stages'>,
  row: TrailRow,
  serial: string,
): AnnouncementTrail {
  const times: AnnouncementTrail['times'] = {}
  for (const stage of stages) {
    // The time of a delivered one stands in the same column.
    const isEnd = stage === 'played' || stage === 'delivered'
    const at = isEnd ? (row.stage === stage ? row.playedAt : null) : row[`${stage}At`]
    if (at !== null) times[stage] = at
  }
  const { n, stage, reason, proof } = withoutNulls(row)
  return {
    ...{ serial, n, stage, times, reason },
    ...(proof && { proof }),
    ...(row.mayRepeat === 1 && { mayRepeat: true }),
  }
}
