import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { z } from 'zod'
import { signedCallback } from '../../support/callback.ts'
import type { OnEnd } from '../../support/folder.ts'
import type { Payment as Paid } from '../../support/proof/history.ts'

const NEW_CONNECTION_EACH = 10
/** The victim's own limit of connections, as in every client library. */
const CONNECTIONS = 32
/** A request without an answer counts as refused. */
export const ANSWER_WITHIN_MS = 90_000
/** Where health is checked from. Not the victim's own address, which may share its limit of requests with an attacker. */
const BALANCER_ADDRESS = '127.0.0.20'

export interface Answer {
  /** Of the response, or why there is none. */
  status: string
  text: string
}

export interface Payment extends Paid {
  /** By `performance.now()`. */
  sentAt: number
  /** When the hub said 200; 0 when it did not. */
  answeredAt: number
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
  /** Over a new connection or an open one; without `isNew`, every tenth over a new one. */
  report(payment: Payment, isNew?: boolean): Promise<Answer>
  /** Asks for a page without a token, over a new connection from a balancer's address. */
  check(path: string): Promise<Answer>
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const token = z.object({ accessToken: z.string() })

export async function openApi(url: string, partner: Partner, onEnd: OnEnd): Promise<Api> {
  const { Agent } = url.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onEnd(() => agent.destroy())
  const post = (path: string, body: object, headers: Record<string, string>, by: http.Agent | false) =>
    answerOf(`${url}/api/v1/partner/${path}`, { method: 'POST', headers, agent: by }, JSON.stringify(body))
  const logIn = () => post('auth/token', partner, JSON_BODY, false)
  const { accessToken } = token.parse(JSON.parse((await logIn()).text))
  const headers = { ...JSON_BODY, Authorization: `Bearer ${accessToken}` }
  return {
    logIn,
    check: (path) => answerOf(`${url}${path}`, { agent: false, localAddress: BALANCER_ADDRESS }),
    async report(payment, isNew = Number(payment.amount) % NEW_CONNECTION_EACH === 0) {
      const { ftCode, terminalID, amount } = payment
      const body = signedCallback(partner.clientSecret, { ftCode, terminalID, transactionAmount: amount })
      payment.sentAt = performance.now()
      const answer = await post('payment/callback', body, headers, isNew ? false : agent)
      if (answer.status === '200') payment.answeredAt = performance.now()
      return answer
    },
  }
}

async function answerOf(url: string, options: http.RequestOptions, body?: string): Promise<Answer> {
  const { request } = url.startsWith('https:') ? https : http
  const sent = request(url, { ...options, rejectUnauthorized: false })
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
    if (wasIdle) return answerOf(url, { ...options, agent: false }, body)
    return { status: error instanceof Error ? error.message : String(error), text: '' }
  }
}
