# Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import json
import sys
import urllib.error
import urllib.request
import uuid

bill = {
    "storeId": "{{STORE_ID}}",
    "billNumber": "{{BILL_NUMBER}}",
    "transactionAmount": "{{AMOUNT}}",
}
request = urllib.request.Request(
    "{{HUB}}/api/v1/partner/payment/dynamic-qr",
    data=json.dumps(bill).encode(),
    headers={
        "Authorization": "Bearer {{TOKEN}}",
        "Content-Type": "application/json",
        # A retry sends the same bytes under the same key, and gets the first answer.
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode())
