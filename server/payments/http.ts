import { createRoute, type OpenAPIHono, type z } from '@hono/zod-openapi'
import { errors } from '../http/errors/openapi.ts'
import type { Guards } from '../http/guards/guards.ts'
import { byPartner, header } from '../http/openapi/components.ts'
import { paymentExamples as examples } from '../http/openapi/examples/payments.ts'
import { json, jsonRequest, prose, qrRecordDto } from '../http/openapi/schemas.ts'
import { validated } from '../http/openapi/validation.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { completeJson } from '../http/response/response-headers.ts'
import { type Clock, isoInstant } from '../platform/clock.ts'
import type { QrRecord } from './bill.ts'
import type { DynamicQrRequest } from './create-dynamic-qr.ts'
import { callbackDto, dynamicQrDto, ftCodeParams, transactionDto } from './dto.ts'
import type { PaymentView } from './ports.ts'
import type { Callback } from './record-callback.ts'

export interface PaymentVerbs {
  createDynamicQr: (clientId: string, request: DynamicQrRequest) => Promise<QrRecord>
  recordCallback: (clientId: string, callback: Callback) => Promise<{ record: QrRecord; replayed: boolean }>
  findTransaction: (clientId: string, ftCode: string) => Promise<PaymentView>
}

const CALLBACK = `
A payment processor reports that money has arrived. 200 says that the payment is on disk and will be announced;
it does not wait for a speaker.

**Checksum.** Write the eight fields in this order, form-urlencoded as \`URLSearchParams\` does (a space is \`+\`), of
the strings exactly as they are sent, empty ones too:
\`terminalID\`, \`bankCode\`, \`billNumber\`, \`transactionAmount\`, \`notice\`, \`payDate\`, \`traceTransfer\`, \`ftCode\`.
\`checkSum\` is the HMAC-SHA256 of that string under the client secret, as hex in any case, base64 or base64url.
\`payDate\` may also be signed as its \`toISOString()\`, for that is how \`JSON.stringify\` writes a date. A wrong one is
400 \`40014\`; when it comes from a well-known mistake, \`details\` says which.
The examples are signed with the secret that they name, so as they stand they answer \`40014\` here: sign your own
with the calculator at [/docs/checksum](/docs/checksum).

**Repeats.** A payment is the same when \`bankCode\` and \`ftCode\` are (without \`ftCode\`: \`bankCode\`, \`traceTransfer\`
and the instant of \`payDate\`). The same content again gets its first answer again, for ever, and counts and announces
nothing; other content is 400 \`40018\`.

| Answer | Then |
|---|---|
| none, 408 or 5xx | send it again, unchanged, with growing pauses; after a 503 wait \`Retry-After\` |
| \`40101\`, \`40102\` | get a new access token, then send it again, unchanged |
| any other 4xx | stop and call a person: the same would be refused again, and it is not recorded. Mend the cause, then send it again |

**Bills.** The right amount pays the bill. Another amount, or another payment of a paid bill, is accepted and announced
as it is, and marked. Without a known bill it is a payment to the shop's static QR.
`.trim()

/** The endpoints under /partner/payment */
export function paymentRoutes(app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PaymentVerbs, clock: Clock) {
  const shared = { tags: ['Partner'], ...byPartner }

  const dynamicQr = createRoute({
    method: 'post',
    path: '/partner/payment/dynamic-qr',
    ...{ ...shared, middleware: guards.partnerOnce.middleware },
    operationId: 'createDynamicQr',
    summary: 'Create a dynamic QR code',
    description: prose(
      "Shows a QR code for one bill on the store's active speakers, for 15 minutes or until it is paid; one that is offline shows it when it is back in time.",
      'Without `qrcode` it is built from the static QR of the store, when that is EMVCo (VietQR); else `qrcode` is needed.',
      '`storeId` and `billNumber` name the bill: the same again answers the same record, an unpaid bill with another amount or code is changed and shown again, a paid one is refused with `40019`.',
    ),
    request: jsonRequest(dynamicQrDto, examples.createDynamicQr.request),
    responses: {
      201: json(qrRecordDto, 'QR code created.', { examples: examples.createDynamicQr.answer }),
      ...errors(
        guards.partnerOnce.errors,
        examples.createDynamicQr.errors,
        'BODY_STORE_NOT_FOUND',
        'BILL_ALREADY_PAID',
        'QR_AMOUNT_MISMATCH',
      ),
    },
  })
  app.openapi(dynamicQr, async (c) =>
    c.json(await verbs.createDynamicQr(c.var.clientId, c.req.valid('json')), 201),
  )

  const { documented, read } = callbackDto(clock)
  const callback = createRoute({
    method: 'post',
    path: '/partner/payment/callback',
    ...shared,
    operationId: 'reportPayment',
    summary: 'Payment callback',
    description: CALLBACK,
    request: jsonRequest(documented, examples.reportPayment.request),
    responses: {
      200: json(qrRecordDto, 'Accepted: the payment is on disk.', {
        examples: examples.reportPayment.answer,
        headers: { 'Idempotent-Replayed': header('Replayed') },
      }),
      ...errors(
        guards.processor.errors,
        examples.reportPayment.errors,
        'CHECKSUM_MISMATCH',
        'BODY_STORE_NOT_FOUND',
        'TRANSACTION_CONFLICT',
      ),
    },
  })
  // Registered apart from its handler: the library would validate with the documented schema, not the compiled one.
  app.openAPIRegistry.registerPath(callback)
  app.on('POST', [callback.path], ...guards.processor.middleware, async (c) => {
    const body = validated(read, await c.req.json())
    const { written, at } = body.payDate
    const callback = { ...body, payDate: written, paidAt: at }
    const { record, replayed } = await verbs.recordCallback(c.var.clientId, callback)
    return completeJson(c, record, replayed ? { 'Idempotent-Replayed': 'true' } : {})
  })

  const transaction = createRoute({
    method: 'get',
    path: '/partner/payment/transactions/{ftCode}',
    ...{ ...shared, middleware: guards.partner.middleware },
    operationId: 'getTransaction',
    summary: 'Get a transaction and what every speaker did with it',
    description: prose(
      'The payment as it was reported, how it met its bill, and for every speaker the stage of its announcement with the time of each: the proof that the shop has heard it.',
      'A payment that was reported without `ftCode` is not found here: it is announced and counted, but has no such proof. Report an `ftCode` where you can.',
    ),
    request: { params: ftCodeParams },
    responses: {
      200: json(transactionDto, 'The transaction.', { examples: examples.getTransaction.answer }),
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
