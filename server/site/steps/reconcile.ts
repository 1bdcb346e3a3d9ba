import { SAMPLE_PAYMENT } from './requests.ts'

export const STATEMENT_PATH = '/api/v1/partner/statement'

/** The account of the store that step 3 registers. */
const ACCOUNT = '0123456789'
const DATE = SAMPLE_PAYMENT.payDate.slice(0, 10)
const CURL = "curl --silent --show-error --fail-with-body --max-time 10 --write-out '\\n' \\"
const AUTHORIZATION = "--header 'Authorization: Bearer {{TOKEN}}'"

/** A statement with the payment of the page, and how it is read. */
export const SAVE_PROFILE = `# A statement of your bank, with the payment of step 5.
cat > statement.csv <<'CSV'
date,amount,balance,reference,text
${DATE},{{AMOUNT}},{{AMOUNT}},{{FT_CODE}},{{BILL_NUMBER}}
CSV

# How your bank writes it. The hub's operator saves this once.
cat > profile.json <<'JSON'
{"columns": {"date": "date", "amount": "amount", "balance": "balance", "reference": "reference", "text": "text"}}
JSON
npm run -s hub -- reconcile profile my-bank --from profile.json --sample statement.csv --save`

export const UPLOAD_REQUEST = `${CURL}
  '{{HUB}}${STATEMENT_PATH}?account=${ACCOUNT}&profile=my-bank' \\
  ${AUTHORIZATION} \\
  --header 'Content-Type: text/csv' \\
  --data-binary @statement.csv`

export const DAY_REQUEST = `${CURL}
  '{{HUB}}/api/v1/partner/payment/reconciliation?date=${DATE}' \\
  ${AUTHORIZATION} \\
  --header 'Accept: text/csv'`

const BUCKET_LINES = [
  'matched,1,{{AMOUNT}},0,1,{{AMOUNT}}',
  'differs,0,0,0,0,0',
  'bank_only,0,0,0,,',
  'undecided,0,0,0,0,0',
  'repeated,0,0,0,,',
  'reversed,0,0,0,0,0',
  'other,0,0,0,,',
  'hub_only,,,,0,0',
]

/** The response to `DAY_REQUEST`. */
export const DAY = [
  'account,bucket,rows,credit,debit,payments,amount,balanced,date,zone',
  ...BUCKET_LINES.map((line) => `${ACCOUNT},${line},true,${DATE},Asia/Ho_Chi_Minh`),
  `# rows,${BUCKET_LINES.length}`,
].join('\n')

export const SIGN = 'npm run -s hub -- reconcile sign {{STATEMENT_ID}}'
