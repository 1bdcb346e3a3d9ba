import { record, story } from './story.ts'

const { storeId, billNumber, terminalID, bankCode } = story

const paid = {
  terminalID,
  bankCode,
  billNumber,
  transactionAmount: story.amount,
  notice: story.notice,
  payDate: story.payDate,
  traceTransfer: story.traceTransfer,
  ftCode: story.ftCode,
}

/** The operations on payments: requests, responses, and the `details` of errors. */
export const paymentExamples = {
  createDynamicQr: {
    request: {
      built: {
        summary: "The hub builds the code from the store's static QR",
        value: { storeId, billNumber, transactionAmount: story.amount },
      },
      given: {
        summary: 'Your own code',
        value: { storeId, billNumber, transactionAmount: story.amount, qrcode: story.qrcode },
      },
    },
    answer: { shown: { summary: 'The code that the speakers show', value: record } },
    errors: {
      VALIDATION_FAILED: [
        { field: 'transactionAmount', issue: 'must be a JSON string, not a number' },
        { field: 'storeId', issue: 'is required' },
      ],
      BODY_STORE_NOT_FOUND: [{ field: 'storeId', issue: 'is not a store of yours' }],
      BILL_ALREADY_PAID: [{ field: 'billNumber', issue: 'is the number of a paid bill' }],
      QR_AMOUNT_MISMATCH: [{ field: 'qrcode', issue: 'carries the amount 50000, not transactionAmount' }],
    },
  },
  reportPayment: {
    request: {
      bill: {
        summary: `A bill is paid; signed with the client secret ${story.clientSecret}`,
        value: { ...paid, checkSum: 'a11e30b53c808c2d590fa98c530fd472f17e679d6126011e3494df634bb700b3' },
      },
      staticQr: {
        summary: "The shop's static QR is paid: no bill, no ftCode; signed with the same secret",
        value: {
          terminalID,
          bankCode,
          billNumber: null,
          transactionAmount: '120000',
          notice: '',
          payDate: '2026-11-20T03:20:00.000Z',
          traceTransfer: '104234',
          checkSum: '7dd2d22434b5c740193b943fc824fa7585aa14d0df460b1ef1b9b3cbfeeb80de',
        },
      },
    },
    answer: {
      bill: { summary: 'The record of the bill', value: record },
      staticQr: {
        summary: "The payment's id and the store's static QR",
        value: { ...record, id: story.paymentId, qrcode: story.staticQRCode, billNumber: '' },
      },
    },
    errors: {
      VALIDATION_FAILED: [
        { field: 'transactionAmount', issue: 'must be a JSON string, not a number' },
        { field: 'ftCode', issue: 'is required when there is no traceTransfer' },
      ],
      CHECKSUM_MISMATCH: [
        {
          field: 'checkSum',
          issue: 'signed with spaces as %20 (RFC 3986): form-urlencoding writes a space as +',
        },
      ],
      BODY_STORE_NOT_FOUND: [{ field: 'terminalID', issue: 'is not the terminal of a store of yours' }],
      TRANSACTION_CONFLICT: [{ field: 'ftCode', issue: 'was reported before with other content' }],
    },
  },
  getTransaction: {
    answer: {
      played: {
        summary: 'Heard in the shop three seconds after the callback',
        value: {
          id: story.paymentId,
          ftCode: story.ftCode,
          traceTransfer: story.traceTransfer,
          terminalID,
          storeId,
          bankCode,
          billNumber,
          transactionAmount: story.amount,
          notice: story.notice,
          payDate: '2026-11-20T03:15:30.000Z',
          receivedAt: '2026-11-20T03:15:31.120Z',
          outcome: 'bill_paid' as const,
          announcements: [
            {
              deviceSerial: story.deviceSerial,
              n: 41,
              stage: 'played' as const,
              times: {
                queued: '2026-11-20T03:15:31.120Z',
                sent: '2026-11-20T03:15:31.131Z',
                received: '2026-11-20T03:15:31.190Z',
                played: '2026-11-20T03:15:34.050Z',
              },
            },
          ],
        },
      },
    },
    errors: {},
  },
}
