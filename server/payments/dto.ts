import { z } from '@hono/zod-openapi'
import { STAGES } from '../announcements/stages.ts'
import { paymentExamples } from '../http/openapi/examples/payments.ts'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { instant, said, uuid, whole } from '../http/openapi/schemas.ts'
import type { Clock } from '../platform/clock.ts'
import { PAY_DATE_AHEAD_MS } from './pay-date.ts'

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

/**
 * The callback's body: the documented schema, and the one that reads it. The clock limits how far ahead a date may be.
 *
 * Why two: the compiled schema saves 7 µs of a callback's 60. A `when` cannot be compiled. It matters only for bodies that
 * are refused, and those are parsed again by the documented schema. Held by test/server/payments/dto.test.ts.
 */
export function callbackDto(clock: Clock) {
  const isNear = ({ at }: { at: number }) => at <= clock.now() + PAY_DATE_AHEAD_MS
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
const played = paymentExamples.getTransaction.answer.played.value

const announcementDto = z.object({
  deviceSerial: said('The speaker.', story.deviceSerial),
  n: whole('The number of the command on this device; absent until it has one.', 41).optional(),
  stage: stage.openapi({
    description:
      '`queued`, `sent` to the speaker, `received` by it, `played`; or `failed` to play, `expired` after 120 s, `suppressed` because the device was locked.',
    examples: ['played'],
  }),
  times: z
    .partialRecord(stage, instant('The time of this stage.', played.receivedAt))
    .openapi({ description: 'The time of each stage that it reached.' }),
  reason: said('The reason that the device gave for a failure.', 'audio_failed').optional(),
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
    outcome: z.enum(['bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr']).openapi({
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
