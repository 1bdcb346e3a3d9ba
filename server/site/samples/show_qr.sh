#!/bin/sh
# Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
set -eu

# A retry sends the same bytes under the same key, and gets the first answer.
key=$(openssl rand -hex 16)

curl --silent --show-error --fail-with-body --max-time 10 --write-out '\n' \
  '{{HUB}}/api/v1/partner/payment/dynamic-qr' \
  --header 'Authorization: Bearer {{TOKEN}}' \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: $key" \
  --data-binary @- <<'JSON'
{"storeId": "{{STORE_ID}}", "billNumber": "{{BILL_NUMBER}}", "transactionAmount": "{{AMOUNT}}"}
JSON
