#!/bin/sh
# Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
set -eu

# A retry sends the same bytes under the same key, and shows no second code.
key=$(openssl rand -hex 16)

curl --silent --show-error --fail-with-body --max-time 10 --write-out '\n' \
  '{{HUB}}/api/v1/partner/device/send-verification' \
  --header 'Authorization: Bearer {{TOKEN}}' \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: $key" \
  --data-binary @- <<'JSON'
{"deviceSerial": "{{SERIAL}}"}
JSON
