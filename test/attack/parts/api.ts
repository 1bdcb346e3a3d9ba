import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { z } from 'zod'
import { signedCallback } from '../../support/callback.ts'
import type { OnEnd } from '../../support/folder.ts'
import type { Payment } from '../../support/proof/processor.ts'

/** Every tenth callback goes over a new connection, the others over those that are open. */
const NEW_CONNECTION_EACH = 10
/** The victim's own limit of connections, as in every client library. */
const CONNECTIONS = 32
/** A request without an answer counts as refused. */
const ANSWER_WITHIN_MS = 90_000

export interface Answer {
  /** Of the response, or why there is none. */
  status: string
  text: string
}

export interface Partner {
  clientId: string
  clientSecret: string
}

/**
 * The victim's requests. Each is sent once, for whoever retries hides a refusal. The one exception is a connection that
 * ended while the request was on its way: a server may close one that was idle, and every client library sends again.
 */
export interface Api {
  /** Over a new connection. */
  logIn(): Promise<Answer>
  report(payment: Payment): Promise<Answer>
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const token = z.object({ accessToken: z.string() })

export async function openApi(http: string, partner: Partner, onEnd: OnEnd): Promise<Api> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onEnd(() => agent.destroy())
  const post = (path: string, body: object, headers: Record<string, string>, by: Agent | false) =>
    answerOf(`${http}/api/v1/partner/${path}`, JSON.stringify(body), headers, by)
  const logIn = () => post('auth/token', partner, JSON_BODY, false)
  const { accessToken } = token.parse(JSON.parse((await logIn()).text))
  const headers = { ...JSON_BODY, Authorization: `Bearer ${accessToken}` }
  return {
    logIn,
    async report(payment) {
      const { ftCode, terminalID, amount } = payment
      const body = signedCallback(partner.clientSecret, { ftCode, terminalID, transactionAmount: amount })
      const isNew = Number(amount) % NEW_CONNECTION_EACH === 0
      payment.sentAt = performance.now()
      const answer = await post('payment/callback', body, headers, isNew ? false : agent)
      if (answer.status === '200') payment.answeredAt = performance.now()
      return answer
    },
  }
}

async function answerOf(
  url: string,
  body: string,
  headers: Record<string, string>,
  agent: Agent | false,
): Promise<Answer> {
  const sent = request(url, { method: 'POST', headers, agent })
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS)
  late.addEventListener('abort', () => void sent.destroy(new Error('no answer')))
  try {
    sent.end(body)
    const [response] = await once(sent, 'response')
    let text = ''
    for await (const piece of response.setEncoding('utf8')) text += piece
    return { status: String(response.statusCode), text }
  } catch (error) {
    const wasIdle = sent.reusedSocket && Object(error).code === 'ECONNRESET'
    if (wasIdle) return answerOf(url, body, headers, false)
    return { status: error instanceof Error ? error.message : String(error), text: '' }
  }
}
