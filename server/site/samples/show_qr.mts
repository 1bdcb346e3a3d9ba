// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import { hub, print } from './hub.mts'

const record = await hub.createDynamicQr({
  storeId: '{{STORE_ID}}',
  billNumber: '{{BILL_NUMBER}}',
  transactionAmount: '{{AMOUNT}}',
})
print(record)
