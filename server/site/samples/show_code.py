# Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import uuid

from hub import post

# A retry sends the same body under the same key, and shows no second code.
post("/device/send-verification", {"deviceSerial": "{{SERIAL}}"}, token="{{TOKEN}}", key=str(uuid.uuid4()))
