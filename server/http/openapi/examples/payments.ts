import { cursor, example, record, story } from './story.ts'

const { storeId, terminalID, bankCode, billNumber, transactionAmount } = story
const { notice, payDate, traceTransfer, ftCode } = story

const bill = { storeId, billNumber, transactionAmount }
const paid = { terminalID, bankCode, billNumber, transactionAmount, notice, payDate, traceTransfer, ftCode }

const transaction = {
  ...paid,
  id: story.paymentId,
  storeId,
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
}

const DAY = { date: '2026-11-20', zone: 'Asia/Ho_Chi_Minh' }
const none = { count: 0, amount: '0' }
const one = { count: 1, amount: transactionAmount }
const day = {
  ...{ storeId, terminalID, storeName: story.storeName, ...one },
  ...{ played: one, missed: none, suppressed: none, failed: none, open: none, delivered: none },
}

/** The operations on payments: requests, responses, and the `details` of errors. */
export const paymentExamples = {
  createDynamicQr: {
    request: {
      built: example("The hub builds the code from the store's static QR", bill),
      given: example('Your own code', { ...bill, qrcode: story.qrcode }),
    },
    answer: { shown: example('The code that the speakers show', record) },
    errors: {
      VALIDATION_FAILED: { transactionAmount: 'must be a JSON string, not a number', storeId: 'is required' },
      BODY_STORE_NOT_FOUND: { storeId: 'is not a store of yours' },
      BILL_ALREADY_PAID: { billNumber: 'is the number of a paid bill' },
      QR_AMOUNT_MISMATCH: { qrcode: 'carries the amount 50000, not transactionAmount' },
    },
  },
  reportPayment: {
    request: {
      bill: example(`A bill is paid; signed with the client secret ${story.clientSecret}`, {
        ...paid,
        checkSum: 'a11e30b53c808c2d590fa98c530fd472f17e679d6126011e3494df634bb700b3',
      }),
      staticQr: example("The shop's static QR is paid: no bill, no ftCode; signed with the same secret", {
        terminalID,
        bankCode,
        billNumber: null,
        transactionAmount: '120000',
        notice: '',
        payDate: '2026-11-20T03:20:00.000Z',
        traceTransfer: '104234',
        checkSum: '7dd2d22434b5c740193b943fc824fa7585aa14d0df460b1ef1b9b3cbfeeb80de',
      }),
    },
    answer: {
      bill: example('The record of the bill', record),
      staticQr: example("The payment's id and the store's static QR", {
        ...record,
        id: story.paymentId,
        qrcode: story.staticQRCode,
        billNumber: '',
      }),
    },
    errors: {
      VALIDATION_FAILED: {
        transactionAmount: 'must be a JSON string, not a number',
        ftCode: 'is required when there is no traceTransfer',
      },
      CHECKSUM_MISMATCH: {
        checkSum: 'signed with spaces as %20 (RFC 3986): form-urlencoding writes a space as +',
      },
      BODY_STORE_NOT_FOUND: { terminalID: 'is not the terminal of a store of yours' },
      TRANSACTION_CONFLICT: { ftCode: 'was reported before with other content' },
    },
  },
  getTransaction: {
    answer: {
      played: example('Heard in the shop three seconds after the callback', transaction),
    },
  },
  searchPayments: {
    answer: {
      page: example('One payment; there are more', { data: [transaction], next: cursor }),
      end: example('No payment matches', { data: [], next: null }),
    },
    csv: [
      'id,ftCode,traceTransfer,terminalID,storeId,bankCode,billNumber,transactionAmount,notice,payDate,receivedAt,outcome,deviceSerial,stage,playedAt',
      `${story.paymentId},${ftCode},${traceTransfer},${terminalID},${storeId},${bankCode},${billNumber},${transactionAmount},${notice},${transaction.payDate},${transaction.receivedAt},bill_paid,${story.deviceSerial},played,2026-11-20T03:15:34.050Z`,
      '# rows,1',
      '',
    ].join('\r\n'),
    errors: {
      VALIDATION_FAILED: {
        from: 'must be an ISO 8601 date and time; write + as %2B',
        outcome: 'must be one of bill_paid, amount_mismatch, bill_already_paid, static_qr',
      },
    },
  },
  summarizeDay: {
    answer: {
      day: example('The one payment of the day was heard', { ...DAY, data: [day], next: null }),
    },
    csv: [
      'storeId,terminalID,storeName,count,amount,playedCount,playedAmount,missedCount,missedAmount,suppressedCount,suppressedAmount,failedCount,failedAmount,openCount,openAmount,date,zone,deliveredCount,deliveredAmount',
      `${storeId},${terminalID},${story.storeName},1,${transactionAmount},1,${transactionAmount},0,0,0,0,0,0,0,0,${DAY.date},${DAY.zone},0,0`,
      '# rows,1',
      '',
    ].join('\r\n'),
    errors: {
      VALIDATION_FAILED: {
        date: 'must be a date: YYYY-MM-DD',
        zone: 'must be a name of the IANA time zone database, as Asia/Ho_Chi_Minh',
      },
    },
  },
}
