/** Two commands that show each event as a webhook from the first minute on. */
export const WATCH = `# Prints each event, and sends it to the program below as a webhook. It prints a secret, and keeps its terminal.
npm run -s hub -- listen --client {{CLIENT_ID}} --forward-to http://127.0.0.1:3000/webhook

# Verifies each webhook and prints it. It keeps its terminal, too.
WEBHOOK_SECRET='{{WEBHOOK_SECRET}}' node server/site/samples/receive.mjs`

/** A payment without your own code, for trying a receiver. */
export const TRY = `# In one terminal: it prints the secret with which your receiver is started.
npm run -s hub -- listen --client {{CLIENT_ID}} --forward-to http://127.0.0.1:3000/webhook

# In another one: a payment.
npm run -s hub -- pay --client {{CLIENT_ID}} --terminal {{TERMINAL_ID}} --bank {{BANK_CODE}} --amount {{AMOUNT}}`

export const CREATE_PATH = '/api/v1/partner/webhook'

const CURL = "curl --silent --show-error --fail-with-body --max-time 10 --write-out '\\n' \\"

export const CREATE_REQUEST = `${CURL}
  '{{HUB}}${CREATE_PATH}' \\
  --header 'Authorization: Bearer {{TOKEN}}' \\
  --header 'Content-Type: application/json' \\
  --data-binary @- <<'JSON'
{"url": "https://shop.example/webhook", "types": ["payment.recorded", "announcement.played"]}
JSON`

/** The response to `CREATE_REQUEST`. */
export const CREATED = {
  id: 'wh_01KB7Q2M9T4XW8R5D0C3HJ6ZFE',
  url: 'https://shop.example/webhook',
  types: ['payment.recorded', 'announcement.played'],
  description: '',
  state: 'enabled',
  disabledReason: null,
  createdAt: '2026-01-15T03:20:00.000Z',
  failingSince: null,
  lastDeliveredAt: null,
  secret: '{{WEBHOOK_SECRET}}',
}

export const TEST_REQUEST = `${CURL}
  --request POST '{{HUB}}${CREATE_PATH}/{{path:WEBHOOK_ID}}/test' \\
  --header 'Authorization: Bearer {{TOKEN}}'

${CURL}
  '{{HUB}}${CREATE_PATH}/{{path:WEBHOOK_ID}}/deliveries?limit=1' \\
  --header 'Authorization: Bearer {{TOKEN}}'`
