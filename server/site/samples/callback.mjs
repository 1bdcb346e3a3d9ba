// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
import { createHmac } from 'node:crypto'

/** The string that is signed: all eight fields in this order, form-urlencoded, an empty one as name= */
function canonical(payment) {
  return new URLSearchParams([
    ['terminalID', payment.terminalID],
    ['bankCode', payment.bankCode ?? ''],
    ['billNumber', payment.billNumber ?? ''],
    ['transactionAmount', payment.transactionAmount],
    ['notice', payment.notice ?? ''],
    ['payDate', payment.payDate],
    ['traceTransfer', payment.traceTransfer ?? ''],
    ['ftCode', payment.ftCode ?? ''],
  ]).toString()
}

function checksum(payment, clientSecret) {
  return createHmac('sha256', clientSecret).update(canonical(payment)).digest('hex')
}

const payment = {
  terminalID: '{{TERMINAL_ID}}',
  bankCode: '{{BANK_CODE}}',
  billNumber: '{{BILL_NUMBER}}',
  transactionAmount: '{{AMOUNT}}',
  notice: 'Bàn 5: cà phê & bánh mì *mang về*',
  // When the customer paid, as the bank has it: a retry sends the same.
  payDate: '2026-01-15T10:15:30+07:00',
  traceTransfer: '104233',
  ftCode: '{{FT_CODE}}',
}
const response = await fetch('{{HUB}}/api/v1/partner/payment/callback', {
  method: 'POST',
  headers: { Authorization: 'Bearer {{TOKEN}}', 'Content-Type': 'application/json' },
  body: JSON.stringify({ ...payment, checkSum: checksum(payment, '{{CLIENT_SECRET}}') }),
  signal: AbortSignal.timeout(10_000),
})
const answer = await response.text()
if (response.ok) {
  console.log(answer)
} else {
  console.error(answer)
  process.exitCode = 1
}
