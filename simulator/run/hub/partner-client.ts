import { createHmac } from 'node:crypto'
import { z } from 'zod'

/** A partner's client: uses only the public API. It renews its token by itself, once it has logged in. */
export interface PartnerClient {
  logIn(): Promise<string>
  sendVerification(deviceSerial: string): Promise<void>
  register(body: Record<string, string>): Promise<{ storeId: string }>
  /** Without `qrcode` the hub builds it from the shop's static QR. */
  dynamicQr(body: {
    storeId: string
    billNumber: string
    transactionAmount: string
    qrcode?: string
  }): Promise<void>
  /**
   * Sends a signed callback as the processor does; resolves with the hub's response time in milliseconds. `checkSum`: in
   * place of the right one.
   */
  callback(fields: CallbackFields, given?: { checkSum: string }): Promise<number>
  /** The shops that a device is linked to. */
  stores(deviceSerial: string): Promise<{ id: string; terminalID: string; bankCode: string }[]>
  /** The stage that each speaker's announcement has reached, and the reason of a failure. */
  stages(ftCode: string): Promise<Reached[]>
}

/** `mayRepeat`: it was sent twice to a box that does not know what it has had. */
export interface Reached {
  deviceSerial: string
  stage: string
  reason?: string
  mayRepeat?: true
}

/** The hub answered with an error. */
export class PartnerRefusal extends Error {
  override readonly name = 'PartnerRefusal'
  readonly status: number
  /** The error code, such as 42901; 0 when the answer has none. */
  readonly code: number
  /** The value of Retry-After in seconds, if given. */
  readonly retryAfterS: number | undefined

  constructor(what: string, response: Response, answer: unknown) {
    super(`${what} was refused: ${sentenceOf(answer)}`)
    this.status = response.status
    this.code = Number(Object(answer).code) || 0
    const after = Number(response.headers.get('Retry-After') ?? Number.NaN)
    this.retryAfterS = Number.isFinite(after) ? after : undefined
  }
}

const refusal = z.object({
  code: z.number(),
  message: z.string(),
  details: z.array(z.object({ field: z.string(), issue: z.string() })).default([]),
})

/** The hub's sentence of a refusal, with the wrong fields. An answer of somebody else is shown as it is. */
function sentenceOf(answer: unknown): string {
  const said = refusal.safeParse(answer).data
  if (!said) return JSON.stringify(answer)
  const issues = said.details.map(({ field, issue }) => `${field} ${issue}`).join('; ')
  return `${said.message}${issues && ` ${issues}.`} (${said.code})`
}

/** The codes of an invalid and of an expired token. A token lives for an hour. */
const TOKEN_REFUSED = [40101, 40102]

const ANSWER_WITHIN_MS = 20_000

export interface CallbackFields {
  terminalID: string
  bankCode: string
  billNumber: string
  transactionAmount: string
  notice: string
  payDate: string
  traceTransfer: string
  ftCode: string
}

const tokens = z.object({ accessToken: z.string() })
const registration = z.object({ store: z.object({ id: z.string() }) })
const device = z.object({
  stores: z.array(z.object({ id: z.string(), terminalID: z.string(), bankCode: z.string() })),
})
const transaction = z.object({
  announcements: z.array(
    z.object({
      ...{ deviceSerial: z.string(), stage: z.string(), reason: z.exactOptional(z.string()) },
      mayRepeat: z.exactOptional(z.literal(true)),
    }),
  ),
})

export interface PartnerOptions {
  /** How long to wait for an answer, in milliseconds. */
  answerWithinMs?: number
  /** Called for each answer, with the address of the hub that gave it. */
  answered?: (base: string, path: string, status: number) => void
}

/** `base` is the hub's address, or a function that chooses one for each request. */
export function createPartnerClient(
  base: string | (() => string),
  clientId: string,
  clientSecret: string,
  { answerWithinMs = ANSWER_WITHIN_MS, answered = () => {} }: PartnerOptions = {},
): PartnerClient {
  const nextBase = typeof base === 'string' ? () => base : base
  let accessToken = ''

  /** Sends a request. When the hub refuses the token, gets a new one and sends the request again. */
  async function call(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    try {
      return await send(method, path, body)
    } catch (error) {
      if (!(error instanceof PartnerRefusal && TOKEN_REFUSED.includes(error.code))) throw error
      await logIn()
      return send(method, path, body)
    }
  }

  async function logIn(): Promise<string> {
    accessToken = tokens.parse(await send('POST', '/auth/token', { clientId, clientSecret })).accessToken
    return accessToken
  }

  async function send(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const headers = {
      'Content-Type': 'application/json',
      ...(accessToken !== '' && { Authorization: `Bearer ${accessToken}` }),
    }
    const hub = nextBase()
    const response = await fetch(`${hub}/api/v1/partner${path}`, {
      method,
      headers,
      signal: AbortSignal.timeout(answerWithinMs),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const answer: unknown = await response.json()
    answered(hub, path, response.status)
    if (!response.ok) throw new PartnerRefusal(`${method} ${path}`, response, answer)
    return answer
  }

  return {
    logIn,
    async sendVerification(deviceSerial) {
      await call('POST', '/device/send-verification', { deviceSerial })
    },
    async register(body) {
      const { store } = registration.parse(await call('POST', '/device/register', body))
      return { storeId: store.id }
    },
    async dynamicQr(body) {
      await call('POST', '/payment/dynamic-qr', body)
    },
    async callback(fields, given) {
      // Section 6 of the interface: the fields in this order, form-urlencoded, signed with the client secret.
      const canonical = new URLSearchParams({
        terminalID: fields.terminalID,
        bankCode: fields.bankCode,
        billNumber: fields.billNumber,
        transactionAmount: fields.transactionAmount,
        notice: fields.notice,
        payDate: fields.payDate,
        traceTransfer: fields.traceTransfer,
        ftCode: fields.ftCode,
      }).toString()
      const checkSum = given?.checkSum ?? createHmac('sha256', clientSecret).update(canonical).digest('hex')
      const startedAt = performance.now()
      await call('POST', '/payment/callback', { ...fields, checkSum })
      return performance.now() - startedAt
    },
    async stores(deviceSerial) {
      return device.parse(await call('GET', `/device/${deviceSerial}`)).stores
    },
    async stages(ftCode) {
      return transaction.parse(await call('GET', `/payment/transactions/${ftCode}`)).announcements
    },
  }
}
