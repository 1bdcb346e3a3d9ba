# Gets an access token: one hour long it goes with every other request, then it is refreshed.
# Save it under another name than token.py: Python has a module that is called so.
import json
import sys
import urllib.error
import urllib.request

request = urllib.request.Request(
    "{{HUB}}/api/v1/partner/auth/token",
    data=json.dumps({"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"}).encode(),
    headers={"Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode())
