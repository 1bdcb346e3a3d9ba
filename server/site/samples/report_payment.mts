// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
import { isTemporary, type Payment } from 'soundbox-hub-client'
import { hub, print } from './hub.mts'

const payment: Payment = {
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
try {
  // It signs, and repeats by the table "After a callback".
  print(await hub.reportPayment(payment))
} catch (error) {
  // Keep the payment until it is reported. After any other error, alert a person.
  if (isTemporary(error)) console.error('The hub is away: report this payment again later.')
  throw error
}
