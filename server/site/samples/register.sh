#!/bin/sh
# Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
set -eu

# A retry sends the same bytes under the same key, and gets the first answer.
key=$(openssl rand -hex 16)

curl --silent --show-error --fail-with-body --max-time 10 --write-out '\n' \
  '{{HUB}}/api/v1/partner/device/register' \
  --header 'Authorization: Bearer {{TOKEN}}' \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: $key" \
  --data-binary @- <<'JSON'
{
  "deviceSerial": "{{SERIAL}}",
  "verificationCode": "{{CODE}}",
  "phoneNumber": "0901234567",
  "storeName": "Quán Cà Phê Sáng",
  "terminalID": "{{TERMINAL_ID}}",
  "bankCode": "{{BANK_CODE}}",
  "bankAccountNumber": "0123456789",
  "bankAccountName": "NGUYEN VAN A",
  "staticQRCode": "00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7"
}
JSON
