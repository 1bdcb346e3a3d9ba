import { randomInt } from 'node:crypto'
import { canonicalString, type SignedFields } from '../../payments/canonical-string.ts'
import { sign } from '../../payments/checksum.ts'
import { OperatorError } from '../../platform/errors.ts'
import { hubAddress } from './hub-address.ts'
import { type Outcome, outcome, refused } from './output.ts'
import { type ApiAnswer, askHub, logIn } from './partner-api.ts'
import { storedSecret } from './partner-secret.ts'
import type { Workspace } from './workspace.ts'

interface PayOptions {
  client: string
  terminal: string
  bank: string
  amount: string
  bill?: string
  twice?: boolean
  badChecksum?: boolean
  url?: string
}

interface Answer {
  status: number
  replayed: boolean
  body: unknown
}

/** Acts as the payment processor: signs a callback as the partner, and sends it to the running hub. */
export async function pay(
  { storage, clock, folder, config }: Workspace,
  options: PayOptions,
): Promise<Outcome> {
  const secret = await storedSecret({ storage, clock }, options.client)
  if (secret === undefined)
    throw new OperatorError(
      `There is no partner ${options.client} in this data folder: see hub partner list.`,
    )
  const base = options.url ?? hubAddress({ folder, config })

  const { answer, token } = await logIn(base, { clientId: options.client, clientSecret: secret })
  if (token === undefined)
    return refused(toAnswer(answer), `The hub refused the login: ${JSON.stringify(answer.body)}`)

  const callback = signedCallback(options, secret, clock.now())
  const answers: Answer[] = []
  for (let sent = 0; sent < (options.twice ? 2 : 1); sent += 1)
    answers.push(toAnswer(await askHub(base, '/api/v1/partner/payment/callback', { body: callback, token })))
  const accepted = answers.every((answer) => answer.status === 200)
  const lines = answers.map(describe)
  if (accepted) lines.push(`Its proof: GET ${base}/api/v1/partner/payment/transactions/${callback.ftCode}`)
  return outcome(accepted, { ftCode: callback.ftCode, callback, answers }, ...lines)
}

function describe({ status, replayed, body }: Answer): string {
  if (status !== 200) return `Refused with ${status}: ${JSON.stringify(body)}`
  return replayed
    ? 'Repeated: the same response as the first time; nothing is announced or counted twice.'
    : 'Accepted and stored.'
}

function signedCallback(options: PayOptions, secret: string, now: number) {
  const fields: SignedFields = {
    terminalID: options.terminal,
    bankCode: options.bank,
    billNumber: options.bill ?? '',
    transactionAmount: options.amount,
    notice: options.bill === undefined ? 'Thanh toan' : `Thanh toan ${options.bill}`,
    payDate: new Date(now).toISOString(),
    traceTransfer: String(randomInt(100_000, 1_000_000)),
    ftCode: `FT${now}${randomInt(1_000, 10_000)}`,
  }
  const signed = options.badChecksum ? { ...fields, transactionAmount: `${options.amount}0` } : fields
  return { ...fields, checkSum: sign(secret, canonicalString(signed)).toString('hex') }
}

function toAnswer({ status, headers, body }: ApiAnswer): Answer {
  return { status, replayed: headers.get('Idempotent-Replayed') === 'true', body }
}
