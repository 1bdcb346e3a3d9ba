import type { AnnouncementTrail, Stage } from '../../../announcements/announcement.ts'
import type { PaymentOutcome } from '../../../payments/payment.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { stageIn } from '../../parts/stages.ts'
import { type Both, type Lang, wordsOf } from '../../parts/words.ts'

const OUTCOME_WORDS: Readonly<Record<PaymentOutcome, Both>> = {
  bill_paid: ['bill paid', 'đã trả hoá đơn'],
  amount_mismatch: ['another amount than the bill', 'khác số tiền của hoá đơn'],
  bill_already_paid: ['the bill was already paid', 'hoá đơn đã trả trước đó'],
  static_qr: ['static QR', 'QR tĩnh'],
}
export const outcomeIn = wordsOf(OUTCOME_WORDS)

const LOOKS: Readonly<Record<Stage, string>> = {
  ...{ queued: 'warn', sent: 'warn', received: 'warn' },
  ...{ played: 'good', delivered: 'warn', failed: 'bad', expired: 'bad', suppressed: 'warn' },
}

/** The stage that each announcement has reached. */
export function stagesOf(announcements: readonly AnnouncementTrail[], lang: Lang): Html | string {
  if (announcements.length === 0) return noSpeaker(lang).none
  return html`${announcements.map(({ stage }) => html`<span class="stage ${LOOKS[stage]}">${stageIn(lang)[stage]}</span> `)}`
}

const noSpeaker = wordsOf({ none: ['no speaker', 'không có loa'] })
