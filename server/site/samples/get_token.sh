#!/bin/sh
# Gets an access token: one hour long it goes with every other request, then it is refreshed.
set -eu

# The body comes from standard input, so that the secret is in no process list.
curl --silent --show-error --fail-with-body --max-time 10 --write-out '\n' \
  '{{HUB}}/api/v1/partner/auth/token' \
  --header 'Content-Type: application/json' \
  --data-binary @- <<'JSON'
{"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"}
JSON
