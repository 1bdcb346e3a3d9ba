# Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
# Save it under another name than code.py: Python has a module that is called so.
import json
import sys
import urllib.error
import urllib.request
import uuid

request = urllib.request.Request(
    "{{HUB}}/api/v1/partner/device/send-verification",
    data=json.dumps({"deviceSerial": "{{SERIAL}}"}).encode(),
    headers={
        "Authorization": "Bearer {{TOKEN}}",
        "Content-Type": "application/json",
        # A retry sends the same bytes under the same key, and shows no second code.
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode())
