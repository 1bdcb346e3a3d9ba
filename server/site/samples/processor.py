# Reports payments until the hub has them, by the table "After a callback". A payment is a file in the folder outbox, from
# before its first report until a 200. So nothing is lost when this program, the hub or the network fails.
# To store payments, a JSON object in each line:  python3 processor.py keep < payments.jsonl
# To report them, in one process, for ever:       python3 processor.py
import http.client
import json
import os
import random
import sys
import time
import uuid

from hub import checksum, send

OUTBOX = "outbox"
# For a person. To report one again, move its file back.
STOPPED = "stopped"


class Refused(Exception):
    """The same request gets the same answer: a person has to look."""


class DeadToken(Exception):
    """Another token may help."""


class NotNow(Exception):
    """The same request may succeed later."""

    def __init__(self, why, seconds=None):
        super().__init__(why)
        self.seconds = seconds


def keep(payment):
    """Stores a payment. When it returns, the payment survives a power cut."""
    name = f"{time.time_ns()}-{uuid.uuid4().hex}"
    with open(f"{OUTBOX}/{name}.new", "x", encoding="utf-8") as file:
        json.dump(payment, file)
        file.flush()
        os.fsync(file.fileno())
    os.rename(f"{OUTBOX}/{name}.new", f"{OUTBOX}/{name}.json")
    folder = os.open(OUTBOX, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def ask(path, body, token=None):
    """Sends a request once. Returns the hub's answer, or raises what the table says about it."""
    try:
        status, headers, text = send(path, body, token)
    except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
        raise NotNow(f"no answer: {error}") from error
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    code = answer.get("code") if isinstance(answer, dict) else None
    if status == 200 and isinstance(answer, dict):
        return answer
    if code in (40101, 40102):
        raise DeadToken(text)
    # Of a login: the secret is wrong, because the right one is never refused.
    if code == 42902:
        raise Refused(text)
    # A 200 without JSON is not the hub's, or only a part of its answer.
    if status in (200, 408, 429) or status >= 500:
        after = headers.get("Retry-After") or ""
        raise NotNow(f"{status} {text}", int(after) if after.isdecimal() else None)
    raise Refused(f"{status} {text}")


class Hub:
    """Reports payments with a token that it renews."""

    def __init__(self):
        self.token = None
        self.renew_at = 0.0

    def login(self):
        try:
            answer = ask("/auth/token", {"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"})
        except Refused as refusal:
            # No payment is at fault: all stay in the outbox.
            sys.exit(f"no token: {refusal}")
        self.token = answer["accessToken"]
        self.renew_at = time.monotonic() + 0.9 * answer["expiresIn"]

    def report(self, payment):
        # Signed anew each time, because the secret may have changed. The fields stay as they are.
        signed = {**payment, "checkSum": checksum(payment, "{{CLIENT_SECRET}}")}
        if time.monotonic() >= self.renew_at:
            self.login()
        try:
            ask("/payment/callback", signed, self.token)
        except DeadToken:
            self.login()
            try:
                ask("/payment/callback", signed, self.token)
            except DeadToken as refusal:
                raise Refused(f"a new token is refused, too: {refusal}") from refusal


def pause(failures):
    """Seconds: 0.2 to 15, and spread, so that programs which fail together do not come back together."""
    return min(0.2 * 2 ** min(failures - 1, 10), 15) * random.uniform(0.5, 1)


def run():
    hub = Hub()
    failures = 0
    while True:
        # One that fails waits for the next round: it keeps no other one back.
        for name in sorted(name for name in os.listdir(OUTBOX) if name.endswith(".json")):
            with open(f"{OUTBOX}/{name}", encoding="utf-8") as file:
                payment = json.load(file)
            try:
                hub.report(payment)
                os.remove(f"{OUTBOX}/{name}")
                failures = 0
                print("reported", payment.get("ftCode"), flush=True)
            except Refused as refusal:
                os.rename(f"{OUTBOX}/{name}", f"{STOPPED}/{name}")
                print("ALERT: stopped", name, refusal, file=sys.stderr, flush=True)
            except NotNow as why:
                failures += 1
                seconds = pause(failures) if why.seconds is None else why.seconds
                print(f"again in {seconds:.1f} s:", why, file=sys.stderr, flush=True)
                time.sleep(seconds)
        time.sleep(0.2)


for folder in (OUTBOX, STOPPED):
    os.makedirs(folder, exist_ok=True)
if sys.argv[1:] == ["keep"]:
    for line in sys.stdin.buffer:
        keep(json.loads(line))
else:
    run()
