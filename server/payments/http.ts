import type { OpenAPIHono } from '@hono/zod-openapi'
import { afterCallbackMarkdown } from '../http/errors/after-callback.ts'
import { clockIsWrong } from '../http/errors/clock-behind.ts'
import { endpoint } from '../http/guards/endpoint.ts'
import type { Guards } from '../http/guards/guards.ts'
import { paymentExamples as examples } from '../http/openapi/examples/payments.ts'
import { qrRecordDto } from '../http/openapi/schemas.ts'
import { csvResponse, wantsCsv } from '../http/response/csv.ts'
import type { HttpEnv } from '../http/response/env.ts'
import { completeJson } from '../http/response/response-headers.ts'
import type { createDynamicQr } from './create-dynamic-qr.ts'
import * as dto from './dto.ts'
import { type findTransaction, toTransaction } from './find-transaction.ts'
import { summaryFile, transactionFile } from './lists/files.ts'
import type { searchPayments } from './lists/search-payments.ts'
import type { summarizeDay } from './lists/summarize-day.ts'
import type { recordCallback } from './record-callback.ts'

export interface PaymentVerbs extends ReturnType<typeof searchPayments>, ReturnType<typeof summarizeDay> {
  createDynamicQr: ReturnType<typeof createDynamicQr>
  recordCallback: ReturnType<typeof recordCallback>
  findTransaction: ReturnType<typeof findTransaction>
}

const CALLBACK = `
Reports a payment. 200 means that the payment is on disk and will be announced; the response does not wait for a speaker.

**Checksum.** Write the eight fields in this order, form-urlencoded as \`URLSearchParams\` does (a space is \`+\`). Use
the strings exactly as you send them, and include empty fields:
\`terminalID\`, \`bankCode\`, \`billNumber\`, \`transactionAmount\`, \`notice\`, \`payDate\`, \`traceTransfer\`, \`ftCode\`.
\`checkSum\` is the HMAC-SHA256 of that string under the client secret, as hex in any case, base64 or base64url.
\`payDate\` may also be signed as its \`toISOString()\`, because \`JSON.stringify\` writes a date like that. A wrong
checksum is 400 \`40014\`; \`details\` names the mistake when it is a well-known one.
The examples are signed with the secret that they name, so here they get \`40014\`: sign your own with the calculator at
[/docs/checksum](/docs/checksum).

**Repeats.** Two callbacks report the same payment when their \`bankCode\` and \`ftCode\` are equal; without \`ftCode\`, when
\`bankCode\`, \`traceTransfer\` and the instant of \`payDate\` are. A repeat with the same content gets the first response
again, at any later time; nothing is counted or announced twice. A repeat with other content is 400 \`40018\`.

**After a callback.** Store the payment before you report it, and send the same content until a row says otherwise.

${afterCallbackMarkdown()}

**Bills.** The bill's amount pays the bill. Another amount, or a second payment of a paid bill, is accepted, announced with
its real amount, and marked. Without a known bill it is a payment to the shop's static QR.
`.trim()

const CSV =
  "With `Accept: text/csv` you get all rows of the same filters in one file (RFC 4180, UTF-8), whatever `limit` and `cursor` are. A text that begins like a formula gets a leading `'`. The last line of a whole file is `# rows,` and their number: a file without it has ended too early. Open it in a spreadsheet program with `bom=true`."

const NAME = { 'Content-Disposition': 'FileName' } as const

type Routes = (app: OpenAPIHono<HttpEnv>, guards: Guards, verbs: PaymentVerbs, time: dto.CallbackTime) => void

/** The endpoints under /partner/payment */
export const paymentRoutes: Routes = (...to) => {
  for (const add of [billsAndCallback, searches]) add(...to)
}

const billsAndCallback: Routes = (app, guards, verbs, time) => {
  endpoint(app, guards.partnerOnce, {
    route: ['post', '/partner/payment/dynamic-qr'],
    operationId: 'createDynamicQr',
    summary: 'Create a dynamic QR code',
    description: [
      "Shows a bill's QR code on the store's active speakers, for 15 minutes or until the bill is paid. An offline speaker shows it when it is back in time.",
      'Without `qrcode`, the hub builds the code from the static QR of the store. That must be EMVCo (VietQR), else `qrcode` is required.',
      '`storeId` and `billNumber` identify the bill. The same request again gets the same record; another amount or code changes an unpaid bill and shows it again; a paid bill is refused with `40019`.',
    ],
    body: dto.dynamicQrDto,
    answer: qrRecordDto,
    status: 201,
    answered: 'The QR code of the bill.',
    errors: ['BODY_STORE_NOT_FOUND', 'BILL_ALREADY_PAID', 'QR_AMOUNT_MISMATCH'],
    examples: examples.createDynamicQr,
    handle: ({ clientId, body }) => verbs.createDynamicQr(clientId, body),
  })

  endpoint(app, guards.processor, {
    route: ['post', '/partner/payment/callback'],
    operationId: 'reportPayment',
    summary: 'Payment callback',
    description: [CALLBACK],
    body: dto.callbackDto(time).read,
    answer: qrRecordDto,
    answered: 'Accepted: the payment is on disk.',
    answerHeaders: { 'Idempotent-Replayed': 'Replayed' },
    errors: ['CHECKSUM_MISMATCH', 'BODY_STORE_NOT_FOUND', 'TRANSACTION_CONFLICT'],
    examples: examples.reportPayment,
    async handle({ c, clientId, body }) {
      const { written, at } = body.payDate
      // Only a clock that is behind lets such a date pass. A processor does not repeat what is refused.
      if (!dto.isNotAhead(at, time.clock.now())) throw clockIsWrong()
      const callback = { ...body, payDate: written, paidAt: at }
      const { record, replayed } = await verbs.recordCallback(clientId, callback, () =>
        guards.admitRefused(c),
      )
      return completeJson(c, record, replayed ? { 'Idempotent-Replayed': 'true' } : {})
    },
  })
}

const searches: Routes = (app, guards, verbs) => {
  endpoint(app, guards.partner, {
    route: ['get', '/partner/payment/transactions'],
    operationId: 'searchPayments',
    summary: 'Search payments',
    description: [
      'Your payments that match all filters, newest first, each as in its detail.',
      'Without `from`, the search goes back 24 hours, also for a code: give `from` to look further back.',
      'To read the whole list, send `next` as `cursor`, with the same filters, until it is null: every payment that was there at the start comes exactly once.',
      'A page has `limit` payments unless the list ends with it, or the search has looked at a million payments or more for it.',
      CSV,
    ],
    query: dto.searchQuery,
    answer: dto.transactionListDto,
    answered: 'A page of payments; as CSV all of them.',
    answerHeaders: NAME,
    csv: examples.searchPayments.csv,
    examples: examples.searchPayments,
    async handle({ c, clientId, query: { limit, cursor, from, to, zone, bom, ...filter } }) {
      const search = { ...filter, from, until: to }
      if (wantsCsv(c)) {
        const { pages, ...period } = verbs.exportPayments(clientId, search)
        const file = { ...transactionFile(period, { zone }), pages, bom }
        return csvResponse(c, file, guards.isStopping)
      }
      const { views, next } = await verbs.searchPayments(clientId, search, { limit, cursor })
      return { data: views.map(toTransaction), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/payment/summary'],
    operationId: 'summarizeDay',
    summary: 'Sum up a day by store',
    description: [
      'The payments that arrived on one day, by store: how many there were, their sum, and what became of their announcements.',
      '`played`, `missed` (too old to be spoken; the screen shows them), `suppressed` (the device was locked), `failed`, `open` (still on their way) and `delivered` (a speaker of another maker has them, and does not say whether they have sounded) add up to the whole. With several speakers, the best one counts: played before open, delivered, missed, failed and suppressed. A payment of a store without a speaker is in none of the six.',
      'Stores without a payment on that day are left out; those that were made last come first.',
      CSV,
    ],
    query: dto.summaryQuery,
    answer: dto.summaryDto,
    answered: 'A page of stores; as CSV all of them.',
    answerHeaders: NAME,
    csv: examples.summarizeDay.csv,
    examples: examples.summarizeDay,
    async handle({ c, clientId, query: { limit, cursor, bom, ...asked } }) {
      if (wantsCsv(c)) {
        const { day, pages } = verbs.exportDay(clientId, asked)
        return csvResponse(c, { ...summaryFile(day), pages, bom }, guards.isStopping)
      }
      const { day, stores, next } = await verbs.summarizeDay(clientId, asked, { limit, cursor })
      return { ...day, data: stores.map(dto.toStoreDay), next: next ?? null }
    },
  })

  endpoint(app, guards.partner, {
    route: ['get', '/partner/payment/transactions/{ftCode}'],
    operationId: 'getTransaction',
    summary: 'Get a transaction and its announcements',
    description: [
      'The payment as reported, its outcome for the bill, and for every speaker the stages of its announcement with their times: the proof that the shop has heard it.',
      'A payment without `ftCode` is found by the search, with its `id` or its `traceTransfer`.',
    ],
    params: dto.ftCodeParams,
    answer: dto.transactionDto,
    answered: 'The transaction.',
    errors: ['TRANSACTION_NOT_FOUND'],
    examples: examples.getTransaction,
    async handle({ clientId, params }) {
      return toTransaction(await verbs.findTransaction(clientId, params.ftCode))
    },
  })
}
