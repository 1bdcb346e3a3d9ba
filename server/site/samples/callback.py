# Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
import hashlib
import hmac
import json
import sys
import urllib.error
import urllib.request
from urllib.parse import urlencode


def canonical(payment):
    """The string that is signed: all eight fields in this order, form-urlencoded, an empty one as name="""
    fields = [
        ("terminalID", payment["terminalID"]),
        ("bankCode", payment.get("bankCode") or ""),
        ("billNumber", payment.get("billNumber") or ""),
        ("transactionAmount", payment["transactionAmount"]),
        ("notice", payment.get("notice") or ""),
        ("payDate", payment["payDate"]),
        ("traceTransfer", payment.get("traceTransfer") or ""),
        ("ftCode", payment.get("ftCode") or ""),
    ]
    # Left to itself Python encodes * and keeps ~, and the signature wants it the other way round.
    return urlencode(fields, safe="*").replace("~", "%7E")


def checksum(payment, client_secret):
    return hmac.new(client_secret.encode(), canonical(payment).encode(), hashlib.sha256).hexdigest()


payment = {
    "terminalID": "{{TERMINAL_ID}}",
    "bankCode": "{{BANK_CODE}}",
    "billNumber": "{{BILL_NUMBER}}",
    "transactionAmount": "{{AMOUNT}}",
    "notice": "Bàn 5: cà phê & bánh mì *mang về*",
    # When the customer paid, as the bank has it: a retry sends the same.
    "payDate": "2026-01-15T10:15:30+07:00",
    "traceTransfer": "104233",
    "ftCode": "{{FT_CODE}}",
}
request = urllib.request.Request(
    "{{HUB}}/api/v1/partner/payment/callback",
    data=json.dumps({**payment, "checkSum": checksum(payment, "{{CLIENT_SECRET}}")}).encode(),
    headers={"Authorization": "Bearer {{TOKEN}}", "Content-Type": "application/json"},
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        print(response.read().decode())
except urllib.error.HTTPError as refusal:
    sys.exit(refusal.read().decode())
