import { z } from '@hono/zod-openapi'
import { STAGES } from '../announcements/announcement.ts'
import { SOUND_PROOFS } from '../devices/device.ts'
import { paymentExamples } from '../http/openapi/examples/payments.ts'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { amountParam, flagParam, instantParam, listOf, listShape, paging } from '../http/openapi/lists.ts'
import { instant, said, shown, uuid, whole } from '../http/openapi/schemas.ts'
import { printable } from '../http/openapi/text-rules.ts'
import type { Clock } from '../platform/clock.ts'
import { isDate, isZone } from '../platform/time/zone-day.ts'
import { RESULTS } from './day-sum.ts'
import type { StoreDay, Sum } from './lists/summarize-day.ts'

/** The bodies of /partner/payment. */

export const dynamicQrDto = z
  .object({
    billNumber: field.billNumber,
    transactionAmount: field.amount,
    qrcode: field.qrcodeOrEmpty,
    storeId: field.storeId,
  })
  .openapi('PartnerPaymentQRParamsDto', { description: 'A bill and its store.' })

/** JSON Schema for a body with a field that is present and not empty. */
const filled = (name: 'ftCode' | 'traceTransfer') => ({
  required: [name],
  properties: { [name]: { type: 'string' as const, minLength: 1, examples: [story[name]] } },
})

const isNamed = ({ ftCode, traceTransfer }: { ftCode?: string; traceTransfer?: string }) =>
  Boolean(ftCode) || Boolean(traceTransfer)

/** A payment dated further ahead is a mistake; clocks differ by less. */
const AHEAD_MS = 24 * 60 * 60_000

/** Whether an instant is at most a day ahead. */
export function isNotAhead(at: number, now: number): boolean {
  return at <= now + AHEAD_MS
}

/** What a callback's date is compared with. */
export interface CallbackTime {
  clock: Pick<Clock, 'now'>
  /** Whether the clock is certainly wrong. Then no date is refused. */
  clockIsBehind: () => boolean
}

/**
 * The callback's body: the documented schema, and the one that reads it. The clock limits how far ahead a date may be.
 *
 * Why two: the compiled schema saves 7 µs of a callback's 60. A `when` cannot be compiled. It matters only for bodies that
 * are refused, and those are parsed again by the documented schema. Held by test/server/payments/dto.test.ts.
 */
export function callbackDto({ clock, clockIsBehind }: CallbackTime) {
  const isNear = ({ at }: { at: number }) => isNotAhead(at, clock.now()) || clockIsBehind()
  const fields = z.object({
    terminalID: field.terminalID,
    bankCode: field.bankCodeOrEmpty,
    billNumber: field.billNumberOrEmpty,
    transactionAmount: field.amount,
    notice: field.noticeOrEmpty,
    payDate: field.payDate.refine(isNear, 'must not be more than 24 hours ahead'),
    traceTransfer: field.traceTransferOrEmpty,
    ftCode: field.ftCodeOrEmpty,
    checkSum: field.credential.openapi({
      description:
        'HMAC-SHA256 of the other eight fields under the client secret, as the operation describes: hex in any case, base64 or base64url.',
      examples: [paymentExamples.reportPayment.request.bill.value.checkSum],
    }),
  })
  const documented = fields
    .refine(isNamed, {
      path: ['ftCode'],
      message: 'is required when there is no traceTransfer',
      // Checked even when other fields are wrong, so that details names every wrong field.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .openapi('PaymentCallbackRequestDto', {
      description: 'A payment, as its processor reports it. `ftCode` or `traceTransfer` is required.',
      anyOf: [filled('ftCode'), filled('traceTransfer')],
    })
  const accepted = z.compile(fields.refine(isNamed), { strict: true })
  const read = z.withParser(documented, (body) => accepted.safeParse(body).data ?? z.INVALID)
  return { documented, read }
}

const stage = z.enum(STAGES)
const OUTCOMES = ['bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr'] as const
const played = paymentExamples.getTransaction.answer.played.value

export const announcementDto = z.object({
  deviceSerial: said('The speaker.', story.deviceSerial),
  n: whole('The number of the command on this device; absent until it has one.', 41).optional(),
  stage: stage.openapi({
    description:
      '`queued`, `sent` to the speaker, `received` by it, `played`; or `delivered` to a speaker of another maker, which does not say whether it has sounded, `failed` to play, `expired` after 120 s, `suppressed` because the device was locked.',
    examples: ['played'],
  }),
  times: z
    .partialRecord(stage, instant('The time of this stage.', played.receivedAt))
    .openapi({ description: 'The time of each stage that it reached.' }),
  reason: said(
    'Why it failed or expired: as the device said, or `over_limit` (the amount is above what the device can say, so it was not sent), or `unconfirmed` (it was sent, and the device has not confirmed it: it may have sounded).',
    'audio_failed',
  ).optional(),
  proof: z
    .enum(SOUND_PROOFS)
    .openapi({
      description:
        'Only of a speaker of another maker: what it has proven of the sound. `none`: it has the message. `accepted`: it has said that it took it. `played`: it has said that it has played it.',
      examples: ['none'],
    })
    .optional(),
  mayRepeat: z
    .literal(true)
    .openapi({
      description:
        'Only of a speaker of another maker, and only when it holds: it was sent twice to a speaker that does not know what it has had, so the shop may have heard it twice.',
      examples: [true],
    })
    .optional(),
})

export const transactionDto = z
  .object({
    id: uuid('The payment.', story.paymentId),
    ftCode: said("The transaction's code.", story.ftCode),
    traceTransfer: said('The trace of the transfer; empty when it was not reported.', story.traceTransfer),
    terminalID: said('The till, as reported.', story.terminalID),
    storeId: uuid('The store that was paid.', story.storeId),
    bankCode: said('The bank, as reported; empty when it was not reported.', story.bankCode),
    billNumber: said('The bill, as reported; empty when it was not reported.', story.billNumber),
    transactionAmount: said('The amount in đồng.', story.transactionAmount),
    notice: said("The payer's note; empty when there was none.", story.notice),
    payDate: instant('The time of the payment.', played.payDate),
    receivedAt: instant('The time when its callback arrived.', played.receivedAt),
    outcome: z.enum(OUTCOMES).openapi({
      description:
        "`bill_paid`: the bill's amount. `amount_mismatch`: another amount. `bill_already_paid`: the bill was paid before. `static_qr`: no known bill.",
      examples: ['bill_paid'],
    }),
    announcements: z.array(announcementDto).openapi({
      description: 'One for every speaker that the store had at the time of the payment.',
    }),
  })
  .openapi('TransactionDto', { description: 'A payment, and its announcement on every speaker.' })

export const ftCodeParams = z.object({
  ftCode: z.string().openapi({
    description: "The transaction's code, percent-encoded. If several payments have it, you get the newest.",
    minLength: 1,
    maxLength: 64,
    examples: [story.ftCode],
  }),
})

const zone = z.string().refine(isZone, 'must be a name of the IANA time zone database, as Asia/Ho_Chi_Minh')
const bom = flagParam(
  'The file begins with a byte order mark: spreadsheet programs take it for UTF-8. JSON never has one.',
)

const code = (description: string) => printable(1, 64).optional().openapi({ description })

export const searchQuery = z
  .object({
    ...paging,
    from: instantParam(
      'Arrived at this time or later (ISO 8601; without an offset it is +07:00). When absent: 24 hours before `to`.',
    ),
    to: instantParam('Arrived before this time. When absent: no end.'),
    storeId: field.storeId.optional().openapi({ description: 'The store that was paid.' }),
    terminalID: field.terminalID.optional().openapi({ description: 'The till, as reported.' }),
    bankCode: field.bankCode.optional().openapi({ description: 'The bank, as reported.' }),
    billNumber: field.billNumber.optional().openapi({ description: 'The bill, as reported.' }),
    ftCode: code("The transaction's code."),
    traceTransfer: code('The trace of the transfer.'),
    id: code('The payment.'),
    minAmount: amountParam('At least so many đồng.'),
    maxAmount: amountParam('At most so many đồng.'),
    outcome: z
      .enum(OUTCOMES, `must be one of ${OUTCOMES.join(', ')}`)
      .optional()
      .openapi({ description: 'What the payment meant for its bill.' }),
    stage: z
      .enum(STAGES, `must be one of ${STAGES.join(', ')}`)
      .optional()
      .openapi({ description: 'The announcement is in this stage on one of the speakers.' }),
    zone: zone.optional().openapi({
      description:
        'The time zone of the times in a file, each with its offset: a name of the IANA database. UTC when absent. JSON has UTC.',
    }),
    bom,
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ['to'],
    message: 'must not be before `from`',
  })
  .refine(({ minAmount = 0, maxAmount }) => maxAmount === undefined || minAmount <= maxAmount, {
    path: ['maxAmount'],
    message: 'must not be less than `minAmount`',
  })

export const transactionListDto = listOf('TransactionListDto', 'A page of payments.', transactionDto)

export const summaryQuery = z.object({
  ...paging,
  date: z
    .string()
    .refine(isDate, 'must be a date: YYYY-MM-DD')
    .optional()
    .openapi({ format: 'date', description: 'The day (YYYY-MM-DD). When absent: today in the zone.' }),
  zone: zone
    .default('Asia/Ho_Chi_Minh')
    .openapi({ description: 'The time zone of the day: a name of the IANA database.' }),
  storeId: field.storeId.optional().openapi({ description: 'Only this store.' }),
  bom,
})

const sums = (description: string) => ({
  count: whole(description, 1),
  amount: said('Their sum in đồng.', story.transactionAmount),
})
const result = (description: string) => z.object(sums(description)).openapi({ description })

const storeDayDto = z
  .object({
    storeId: uuid('The store.', story.storeId),
    terminalID: said('Your id of its till, as it is now.', story.terminalID),
    storeName: said('Its name, as it is now.', story.storeName),
    ...sums('The number of payments.'),
    played: result('Spoken.'),
    missed: result('Too old to be spoken: the screen shows them.'),
    suppressed: result('Not announced: the device was locked or released.'),
    failed: result('The device could not speak.'),
    open: result('Still on their way.'),
    delivered: result('A speaker of another maker has them, and does not say whether they have sounded.'),
  })
  .openapi('StoreDayDto', { description: 'The payments of a store on one day.' })

export const summaryDto = z
  .object({
    date: z.iso
      .date()
      .openapi(shown('The day (YYYY-MM-DD).', paymentExamples.summarizeDay.answer.day.value.date)),
    zone: said('The time zone of the day.', paymentExamples.summarizeDay.answer.day.value.zone),
    ...listShape(storeDayDto),
  })
  .openapi('DaySummaryDto', { description: 'A page of stores, with their payments of one day.' })

const toSumDto = ({ count, amount }: Sum) => ({ count, amount: String(amount) })

export function toStoreDay({ storeId, terminalID, storeName, results, ...sum }: StoreDay) {
  const sums = RESULTS.map((name) => [name, toSumDto(results[name])])
  return { storeId, terminalID, storeName, ...toSumDto(sum), ...Object.fromEntries(sums) }
}
