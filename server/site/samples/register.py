# Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
import json
import sys
import urllib.error
import urllib.request
import uuid

registration = {
    "deviceSerial": "{{SERIAL}}",
    "verificationCode": "{{CODE}}",
    "phoneNumber": "0901234567",
    "storeName": "Quán Cà Phê Sáng",
    "terminalID": "{{TERMINAL_ID}}",
    "bankCode": "{{BANK_CODE}}",
    "bankAccountNumber": "0123456789",
    "bankAccountName": "NGUYEN VAN A",
    "staticQRCode": "00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7",
}
request = urllib.request.Request(
    "{{HUB}}/api/v1/partner/device/register",
    data=json.dumps(registration).encode(),
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
