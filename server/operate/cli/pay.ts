import { randomInt } from 'node:crypto'
import { canonicalString, type SignedFields } from '../../payments/canonical-string.ts'
import { sign } from '../../payments/checksum.ts'
import { OperatorError } from '../../platform/errors.ts'
import { hubAddress } from './hub-address.ts'
import { type Outcome, outcome, refused } from './output.ts'
import { type ApiAnswer, askHub, logIn } from './partner-api.ts'
import { storedSecret } from './partner-secret.ts'
import { refusalOf } from './refusal.ts'
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
  { storage, clock, folder, config }: Pick<Workspace, 'storage' | 'clock' | 'folder' | 'config'>,
  options: PayOptions,
): Promise<Outcome> {
  const secret = await storedSecret({ storage, clock }, options.client)
  if (secret === undefined)
    throw new OperatorError(
      `There is no partner ${options.client} in this data folder: see hub partner list.`,
    )
  const base = options.url ?? hubAddress({ folder, config })

  const { answer, token } = await logIn(base, { clientId: options.client, clientSecret: secret })
  if (token === undefined) return refused(toAnswer(answer), refusalOf(answer))

  const callback = signedCallback(options, secret, clock.now())
  const got: ApiAnswer[] = []
  for (let sent = 0; sent < (options.twice ? 2 : 1); sent += 1)
    got.push(await askHub(base, '/api/v1/partner/payment/callback', { body: callback, token }))
  const answers = got.map(toAnswer)
  const accepted = answers.every((answer) => answer.status === 200)
  const lines = got.map(describe)
  if (accepted) lines.push(`Its proof: GET ${base}/api/v1/partner/payment/transactions/${callback.ftCode}`)
  return outcome(accepted, { ftCode: callback.ftCode, callback, answers }, ...lines)
}

function describe(answer: ApiAnswer): string {
  if (answer.status !== 200) return refusalOf(answer)
  return toAnswer(answer).replayed
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
