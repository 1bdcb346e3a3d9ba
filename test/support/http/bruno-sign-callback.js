const cryptoJs = require('crypto-js')

// Each sending is another payment. To report one again, write its ftCode and payDate into the body.
bru.setVar('ftCode', `FT${Date.now()}`)
bru.setVar('payDate', new Date().toISOString())

// Form-urlencoding; Bruno's safe mode has no URLSearchParams.
function encode(text) {
  return encodeURIComponent(text)
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%20/g, '+')
}

// The string that is signed: all eight fields in this order, an empty one as name=
const names = [
  'terminalID',
  'bankCode',
  'billNumber',
  'transactionAmount',
  'notice',
  'payDate',
  'traceTransfer',
  'ftCode',
]
function canonical(payment) {
  return names.map((name) => `${name}=${encode(payment[name] ?? '')}`).join('&')
}

const clientSecret = bru.getEnvVar('clientSecret')
if (!clientSecret) throw new Error('The environment has no clientSecret.')

// Scripts run before the variables are filled in, and it is the values that are signed.
const payment = req.getBody()
for (const name of names) payment[name] = bru.interpolate(payment[name])
payment.checkSum = cryptoJs.HmacSHA256(canonical(payment), clientSecret).toString()
req.setBody(payment)
