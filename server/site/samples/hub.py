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


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the secret to another address."""

    def redirect_request(self, *_):
        return None


def send(path, body, token=None, key=None):
    """What the hub answers: the status, the headers and the text. Raises OSError or HTTPException when nothing comes."""
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    if key:
        headers["Idempotency-Key"] = key
    request = urllib.request.Request("{{HUB}}/api/v1/partner" + path, json.dumps(body).encode(), headers)
    try:
        with urllib.request.build_opener(NoRedirects).open(request, timeout=10) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.headers, refusal.read().decode()


def post(path, body, token=None, key=None):
    """Prints what the hub answers, and fails when it refuses."""
    status, _, answer = send(path, body, token, key)
    if status >= 300:
        sys.exit(answer)
    print(answer)


def canonical(payment):
    """The string that is signed: all eight fields, form-urlencoded, an empty one as name="""
    fields = [(name, payment.get(name) or "") for name in SIGNED]
    # Left to itself Python encodes * and keeps ~, and the signature wants it the other way round.
    return urlencode(fields, safe="*").replace("~", "%7E")


def checksum(payment, client_secret):
    return hmac.new(client_secret.encode(), canonical(payment).encode(), hashlib.sha256).hexdigest()
