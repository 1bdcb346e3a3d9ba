import { createRoute, type OpenAPIHono, z } from '@hono/zod-openapi'
import { STAGES } from '../announcements/announcement.ts'
import { type Clock, isoInstant } from '../clock.ts'
import type { HttpEnv } from '../http/env.ts'
import { errors } from '../http/error-responses.ts'
import * as field from '../http/fields.ts'
import type { Guards } from '../http/guards.ts'
import { json, jsonRequest, qrRecordDto } from '../http/schemas.ts'
import type { QrRecord } from './bill.ts'
import type { DynamicQrRequest } from './create-dynamic-qr.ts'
import { PAY_DATE_AHEAD_MS, parsePayDate } from './pay-date.ts'
import type { PaymentView } from './ports.ts'
import type { Callback } from './record-callback.ts'

const dynamicQrDto = z
  .object({
    billNumber: field.reference,
    transactionAmount: field.amount,
    qrcode: field.orEmpty(field.qrText),
    storeId: field.reference,
  })
  .openapi('PartnerPaymentQRParamsDto')

/** The callback's body; the clock tells how far ahead a payment's date may be. */
function callbackDto(clock: Clock) {
  const isNear = (text: string) => (parsePayDate(text) ?? 0) <= clock.now() + PAY_DATE_AHEAD_MS
  return z
    .object({
      terminalID: field.reference,
      bankCode: field.orEmpty(field.bankCode),
      billNumber: field.orEmpty(field.reference),
      transactionAmount: field.amount,
      notice: field.orEmpty(field.notice),
      payDate: field.payDate.refine(isNear, 'must not be more than 24 hours ahead'),
      traceTransfer: field.orEmpty(field.reference),
      ftCode: field.orEmpty(field.reference),
      checkSum: field.credential,
    })
    .refine(({ ftCode, traceTransfer }) => Boolean(ftCode) || Boolean(traceTransfer), {
      path: ['ftCode'],
      message: 'is required when there is no traceTransfer',
      // Looked at even when other fields are wrong, so that every bad field is named at once.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .openapi('PaymentCallbackRequestDto')
}

const instant = z.iso.datetime()
const transactionDto = z
  .object({
    id: z.string(),
    ftCode: z.string(),
    traceTransfer: z.string(),
    terminalID: z.string(),
    storeId: z.string(),
    bankCode: z.string(),
    billNumber: z.string(),
    transactionAmount: z.string(),
    notice: z.string(),
    payDate: instant,
    receivedAt: instant,
    outcome: z.enum(['bill_paid', 'amount_mismatch', 'bill_already_paid', 'static_qr']),
    announcements: z.array(
      z.object({
        deviceSerial: z.string(),
        n: z.int().optional(),
        stage: z.enum(STAGES),
        times: z.partialRecord(z.enum(STAGES), instant),
        reason: z.string().optional(),
      }),
    ),
  })
  .openapi('TransactionDto')

export interface PaymentVerbs {
  createDynamicQr: (clientId: string, request: DynamicQrRequest) => Promise<QrRecord>
  recordCallback: (clientId: string, callback: Callback) => Promise<{ record: QrRecord; replayed: boolean }>
  findTransaction: (clientId: string, ftCode: string) => Promise<PaymentView>
}

/** The endpoints under /partner/payment */
export function paymentRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PaymentVerbs, clock: Clock) {
  const tags = ['Partner']
  const security = [{ bearer: [] }]

  const dynamicQr = createRoute({
    method: 'post',
    path: '/partner/payment/dynamic-qr',
    ...{ tags, security, middleware: guards.partnerWithBody.middleware },
    summary: 'Create a dynamic QR code',
    description: "Without `qrcode` it is built from the store's static QR.",
    request: jsonRequest(dynamicQrDto),
    responses: {
      201: json(qrRecordDto, 'QR code created.'),
      ...errors(
        guards.partnerWithBody.errors,
        'BODY_STORE_NOT_FOUND',
        'BILL_ALREADY_PAID',
        'QR_AMOUNT_MISMATCH',
      ),
    },
  })
  app.openapi(dynamicQr, async (c) =>
    c.json(await verbs.createDynamicQr(c.var.clientId, c.req.valid('json')), 201),
  )

  const callback = createRoute({
    method: 'post',
    path: '/partner/payment/callback',
    ...{ tags, security, middleware: guards.processorWithBody.middleware },
    summary: 'Payment callback',
    description: 'A repeated report gets the first answer again, with the header Idempotent-Replayed: true.',
    request: jsonRequest(callbackDto(clock)),
    responses: {
      200: json(qrRecordDto, 'Accepted.'),
      ...errors(
        guards.processorWithBody.errors,
        'CHECKSUM_MISMATCH',
        'BODY_STORE_NOT_FOUND',
        'TRANSACTION_CONFLICT',
      ),
    },
  })
  app.openapi(callback, async (c) => {
    const fields = c.req.valid('json')
    const { record, replayed } = await verbs.recordCallback(c.var.clientId, {
      ...fields,
      // The schema has let no other date through.
      paidAt: parsePayDate(fields.payDate) ?? 0,
    })
    if (replayed) c.header('Idempotent-Replayed', 'true')
    return c.json(record, 200)
  })

  const transaction = createRoute({
    method: 'get',
    path: '/partner/payment/transactions/{ftCode}',
    ...{ tags, security, middleware: guards.partner.middleware },
    summary: 'Get a transaction and what every speaker did with it',
    request: { params: z.object({ ftCode: z.string() }) },
    responses: {
      200: json(transactionDto, 'The transaction.'),
      ...errors(guards.partner.errors, 'TRANSACTION_NOT_FOUND'),
    },
  })
  app.openapi(transaction, async (c) => {
    const found = await verbs.findTransaction(c.var.clientId, c.req.valid('param').ftCode)
    return c.json(toTransactionDto(found), 200)
  })
}

function toTransactionDto({
  payment,
  storeId,
  outcome,
  announcements,
}: PaymentView): z.infer<typeof transactionDto> {
  const { id, ftCode, traceTransfer, terminalID, bankCode, billNumber, amount, notice, paidAt, receivedAt } =
    payment
  return {
    ...{ id, ftCode, traceTransfer, terminalID, storeId, bankCode, billNumber, notice, outcome },
    transactionAmount: amount,
    payDate: isoInstant(paidAt),
    receivedAt: isoInstant(receivedAt),
    announcements: announcements.map(({ serial, n, stage, times, reason }) => ({
      deviceSerial: serial,
      ...(n !== undefined && { n }),
      stage,
      times: Object.fromEntries(Object.entries(times).map(([name, at]) => [name, isoInstant(at)])),
      ...(reason !== undefined && { reason }),
    })),
  }
}
