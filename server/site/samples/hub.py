# What the samples share: a request to the hub, and the signature of a payment. Save it as hub.py beside them.
import hashlib
import hmac
import json
import sys
import urllib.error
import urllib.request
from urllib.parse import urlencode

# The fields that are signed, in this order.
SIGNED = ["terminalID", "bankCode", "billNumber", "transactionAmount", "notice", "payDate", "traceTransfer", "ftCode"]


def post(path, body, token=None, key=None):
    """Prints what the hub answers, and fails when it refuses."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if key:
        headers["Idempotency-Key"] = key
    request = urllib.request.Request("{{HUB}}/api/v1/partner" + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            print(response.read().decode())
    except urllib.error.HTTPError as refusal:
        sys.exit(refusal.read().decode())


def canonical(payment):
    """The string that is signed: all eight fields, form-urlencoded, an empty one as name="""
    fields = [(name, payment.get(name) or "") for name in SIGNED]
    # Left to itself Python encodes * and keeps ~, and the signature wants it the other way round.
    return urlencode(fields, safe="*").replace("~", "%7E")


def checksum(payment, client_secret):
    return hmac.new(client_secret.encode(), canonical(payment).encode(), hashlib.sha256).hexdigest()
