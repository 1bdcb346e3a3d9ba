import { z } from '@hono/zod-openapi'
import { STAGES } from '../announcements/stages.ts'
import { paymentExamples } from '../http/openapi/examples/payments.ts'
import { story } from '../http/openapi/examples/story.ts'
import * as field from '../http/openapi/fields.ts'
import { instant, said, uuid } from '../http/openapi/schemas.ts'
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
  .openapi('PartnerPaymentQRParamsDto', { description: 'A bill, and the store that it is paid to.' })

/** JSON Schema for a body in which a field is there and not empty. */
const filled = (name: 'ftCode' | 'traceTransfer') => ({
  required: [name],
  properties: { [name]: { type: 'string' as const, minLength: 1, examples: [story[name]] } },
})

/** What tells one payment from another must be there. */
const isNamed = ({ ftCode, traceTransfer }: { ftCode?: string; traceTransfer?: string }) =>
  Boolean(ftCode) || Boolean(traceTransfer)

/**
 * The callback's body, as it is documented and as it is read; the clock tells how far ahead a payment's date may be.
 *
 * Why two: compiled, the schema reads a body in less than half the time, which is felt on this path alone. What can't
 * be compiled is when a rule is looked at, which matters only for what is refused: that is told by the documented one.
 * Held by test/server/payments/dto.test.ts.
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
        'HMAC-SHA256 of the other eight fields under the client secret, as the description of the operation says: hex in any case, base64 or base64url.',
      examples: [paymentExamples.reportPayment.request.bill.value.checkSum],
    }),
  })
  const documented = fields
    .refine(isNamed, {
      path: ['ftCode'],
      message: 'is required when there is no traceTransfer',
      // Looked at even when other fields are wrong, so that every bad field is named at once.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .openapi('PaymentCallbackRequestDto', {
      description: 'A payment as its processor reports it. `ftCode` or `traceTransfer` must be there.',
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
  n: z
    .int()
    .optional()
    .openapi({
      description: 'The number of the command on this device; left out until it has one.',
      examples: [41],
    }),
  stage: stage.openapi({
    description:
      '`queued` for the speaker, `sent`, `received` by it, `played`; or it `failed` to play, `expired` after 120 s, was `suppressed` because the device is locked.',
    examples: ['played'],
  }),
  times: z
    .partialRecord(stage, instant('When it reached this stage.', played.receivedAt))
    .openapi({ description: 'When it reached each stage that it reached.' }),
  reason: z
    .string()
    .optional()
    .openapi({
      description: 'Why it failed, in the word of the device.',
      examples: ['audio_failed'],
    }),
})

export const transactionDto = z
  .object({
    id: uuid('The payment.', story.paymentId),
    ftCode: said("The transaction's code.", story.ftCode),
    traceTransfer: said('The trace of the transfer; empty when none was reported.', story.traceTransfer),
    terminalID: said('The till, as it was reported.', story.terminalID),
    storeId: uuid('The store that it was paid to.', story.storeId),
    bankCode: said('The bank, as it was reported; empty when none was.', story.bankCode),
    billNumber: said('The bill, as it was reported; empty when none was.', story.billNumber),
    transactionAmount: said('The amount in đồng.', story.amount),
    notice: said("The payer's note; empty when there was none.", story.notice),
    payDate: instant('When it was paid.', played.payDate),
    receivedAt: instant('When its callback arrived.', played.receivedAt),
    outcome: z.enum(['bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr']).openapi({
      description:
        "`bill_paid`; another amount than the bill's (`amount_mismatch`); `bill_already_paid` before; no known bill (`static_qr`).",
      examples: ['bill_paid'],
    }),
    announcements: z.array(announcementDto).openapi({
      description: 'One for every speaker that the store had when it was paid.',
    }),
  })
  .openapi('TransactionDto', { description: 'A payment, and what every speaker did with it.' })

export const ftCodeParams = z.object({
  ftCode: z.string().openapi({
    description:
      "The transaction's code, percent-encoded. Of several payments with it, the newest is answered.",
    minLength: 1,
    maxLength: 64,
    examples: [story.ftCode],
  }),
})
