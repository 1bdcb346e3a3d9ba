# Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import uuid

from hub import post

bill = {
    "storeId": "{{STORE_ID}}",
    "billNumber": "{{BILL_NUMBER}}",
    "transactionAmount": "{{AMOUNT}}",
}
# A retry sends the same body under the same key, and gets the first answer.
post("/payment/dynamic-qr", bill, token="{{TOKEN}}", key=str(uuid.uuid4()))
