// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
import { hub, print } from './hub.mts'

const { store, device } = await hub.registerDevice({
  deviceSerial: '{{SERIAL}}',
  verificationCode: '{{CODE}}',
  phoneNumber: '0901234567',
  storeName: 'Quán Cà Phê Sáng',
  terminalID: '{{TERMINAL_ID}}',
  bankCode: '{{BANK_CODE}}',
  bankAccountNumber: '0123456789',
  bankAccountName: 'NGUYEN VAN A',
  staticQRCode: '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
})
print({ store, device })
