# Receives webhooks: verifies each, takes none twice, and answers 204.
# WEBHOOK_SECRET='whsec_...' python3 receive.py
import base64
import binascii
import hashlib
import hmac
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST_BYTES = 65_536
MOST_SECONDS = 300
SECRET = os.environ.get("WEBHOOK_SECRET", "")
try:
    KEY = base64.b64decode(SECRET.replace("whsec_", "", 1))
except binascii.Error:
    KEY = b""
if len(KEY) < 24:
    sys.exit("WEBHOOK_SECRET is not the secret of a webhook")


def is_signed(id, timestamp, body, signatures):
    """While a secret is replaced there are two signatures, with a space between them: one must be right."""
    signed = f"{id}.{timestamp}.".encode() + body
    right = base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    return any([hmac.compare_digest(b"v1," + right, given.encode()) for given in signatures.split(" ")])


# Your database does it better: the id is unique, in the transaction that does the work.
seen = {}
seen_lock = threading.Lock()


def is_new(id):
    with seen_lock:
        if id in seen:
            return False
        if len(seen) == 10_000:
            del seen[next(iter(seen))]
        seen[id] = True
        return True


def receive(headers, body):
    """The status of the answer. `body` is what arrived, byte by byte: JSON that is written anew is not signed."""
    id, signatures = headers.get("webhook-id"), headers.get("webhook-signature")
    timestamp = headers.get("webhook-timestamp", "")
    if not id or not signatures or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return 400
    if not is_signed(id, timestamp, body, signatures):
        return 401
    if abs(time.time() - int(timestamp)) > MOST_SECONDS:
        return 401
    # Store it here and work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
    if is_new(id):
        print(body.decode(), flush=True)
    return 204


class Receiver(BaseHTTPRequestHandler):
    timeout = 15  # seconds that a client may be silent

    def do_POST(self):
        length = self.headers.get("content-length", "")
        if re.fullmatch(r"[0-9]{1,5}", length) and int(length) <= MOST_BYTES:
            status = receive(self.headers, self.rfile.read(int(length)))
        else:
            status = 400
        self.send_response(status)
        self.end_headers()

    def log_message(self, format, *args):
        pass


port = int(os.environ.get("PORT", "3000"))
server = ThreadingHTTPServer(("127.0.0.1", port), Receiver)
print(f"Waiting for webhooks on port {port}", flush=True)
server.serve_forever()
