import { SAMPLE_PAYMENT } from './requests.ts'

/** The response to the last request. */
export const PROOF = {
  id: 'b5b6a7de-0a5f-4a35-8a25-7c1b5f0c9d31',
  ftCode: '{{FT_CODE}}',
  traceTransfer: SAMPLE_PAYMENT.traceTransfer,
  terminalID: '{{TERMINAL_ID}}',
  storeId: '{{STORE_ID}}',
  bankCode: '{{BANK_CODE}}',
  billNumber: '{{BILL_NUMBER}}',
  notice: SAMPLE_PAYMENT.notice,
  outcome: 'bill_paid',
  transactionAmount: '{{AMOUNT}}',
  payDate: '2026-01-15T03:15:30.000Z',
  receivedAt: '2026-01-15T03:15:30.214Z',
  announcements: [
    {
      deviceSerial: '{{SERIAL}}',
      n: 7,
      stage: 'played',
      times: {
        queued: '2026-01-15T03:15:30.214Z',
        sent: '2026-01-15T03:15:30.219Z',
        received: '2026-01-15T03:15:30.231Z',
        played: '2026-01-15T03:15:32.874Z',
      },
    },
  ],
}

/** The last request, for every terminal. */
export const PROOF_REQUEST = `curl --silent --show-error --fail-with-body --max-time 10 --write-out '\\n' \\
  '{{HUB}}/api/v1/partner/payment/transactions/{{path:FT_CODE}}' \\
  --header 'Authorization: Bearer {{TOKEN}}'`

/** Gets new tokens without the secret. */
export const REFRESH_REQUEST = `curl --silent --show-error --fail-with-body --max-time 10 --write-out '\\n' \\
  '{{HUB}}/api/v1/partner/auth/refresh' \\
  --header 'Content-Type: application/json' \\
  --data-binary @- <<'JSON'
{"refreshToken": "{{REFRESH_TOKEN}}"}
JSON`

/** The commands before the first request. */
export const PREPARATION = `npm ci

# The hub. It keeps this terminal; continue in another one. If HUB_DATA_DIR is set here, set it there, too.
npm start

# Prints the client id and the client secret, once.
npm run -s hub -- partner create --name "My company"

# Prints the speaker's key, once.
npm run -s hub -- device add --serial {{SERIAL}}

# The speaker, with the printed key. It keeps its terminal, too.
# If the hub's ready line has another address for speakers than mqtt://127.0.0.1:1883, give it as --url.
npm run -s simulator -- --serial {{SERIAL}} --key KEY`
