import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { signedCallback } from '../callback.ts'
import { accessTokenOf } from '../http/access-token.ts'
import { parseJson } from '../parse-json.ts'
import type { Answer, Answered, Note, Payment } from './history.ts'

/** A processor retries a callback for this long. A restarting hub is back sooner. */
const GIVE_UP_MS = 120_000
const RETRY_AFTER_MS = 200
/** The timeout of a request: longer than a hub takes to drain. */
const ANSWER_WITHIN_MS = 20_000

/** A payment processor: it repeats a report until the hub answers 200, and sometimes once more. */
export interface Processor {
  /** Reports until the hub answers 200 or the time is over. */
  report(payment: Payment): Promise<void>
  /** The stage of each speaker's announcement in the API. Undefined when the request fails. */
  stages(payment: Payment): Promise<string[] | undefined>
  /** Whether the API shows a device as connected. Undefined when the request fails. */
  isConnected(serial: string): Promise<boolean | undefined>
}

export interface ProcessorOptions {
  /** The hub, or several hubs that get the requests in turn. */
  base: string | readonly string[]
  /**
   * Whether the address is that of a balancer. It answers 504 when no hub has answered in time, and 502 when it took each
   * hub that had the request for down.
   */
  isBalanced?: boolean
  clientId: string
  clientSecret: string
  /** In [0, 1). Chooses the payments that are reported once more after their 200. */
  random: () => number
  /** Gets every report and its answer. */
  note: Note
}

/** The share of payments that are reported once more after their 200. */
const REPEATED = 0.05

export async function createProcessor(options: ProcessorOptions): Promise<Processor> {
  const { clientId, clientSecret, random, note, isBalanced = false } = options
  const nextBase = inTurn(options.base)
  let token = await logIn({ nextBase, clientId, clientSecret })

  async function attempt({ ftCode, terminalID, amount }: Payment): Promise<Answer> {
    const fields = {
      ftCode,
      terminalID,
      bankCode: 'MB',
      billNumber: '',
      notice: '',
      transactionAmount: amount,
    }
    const base = nextBase()
    const from = performance.now()
    note({ kind: 'asked', base, ftCode, terminalID, amount })
    const noteAnswer = (answer: Answer, said: Partial<Answered> = {}) => {
      note({ kind: 'answered', ftCode, base, answer, from, until: performance.now(), ...said })
      return answer
    }
    try {
      const response = await fetch(`${base}/api/v1/partner/payment/callback`, {
        method: 'POST',
        // The answer repeats the id: whoever sees it knows whose it is.
        headers: {
          'Content-Type': 'application/json',
          Authorization: `Bearer ${token}`,
          'X-Request-Id': ftCode,
        },
        body: JSON.stringify(signedCallback(clientSecret, fields)),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      const body = await response.text()
      const isBalancers = isBalanced && [502, 504].includes(response.status)
      return noteAnswer(response.status, isBalancers ? {} : readAnswer(response, body))
    } catch (error) {
      return noteAnswer(isRefusal(error) ? 'refused' : 'cut')
    }
  }

  async function read(path: string): Promise<unknown> {
    const headers = { Authorization: `Bearer ${token}` }
    const ask = () => fetch(`${nextBase()}/api/v1/partner/${path}`, { headers })
    // A connection that was idle for long may be closed in the moment in which it is used.
    return (await ask().catch(ask)).json()
  }

  return {
    async stages({ ftCode }) {
      const found = transaction.safeParse(await read(`payment/transactions/${ftCode}`))
      return found.data?.announcements.map((one) => one.stage)
    },
    async isConnected(serial) {
      return device.safeParse(await read(`device/${serial}`)).data?.connected
    },
    async report(payment) {
      const until = performance.now() + GIVE_UP_MS
      for (;;) {
        const answer = await attempt(payment)
        if (answer === 200) {
          if (random() < REPEATED) await attempt(payment)
          return
        }
        if (performance.now() > until) return
        if (answer === 401) token = await logIn({ nextBase, clientId, clientSecret })
        await sleep(RETRY_AFTER_MS)
      }
    },
  }
}

/** A function that returns these addresses in turn. */
function inTurn(base: string | readonly string[]): () => string {
  const bases = [base].flat()
  let turn = -1
  return () => {
    turn = (turn + 1) % bases.length
    return bases[turn] ?? ''
  }
}

const transaction = z.object({ announcements: z.array(z.object({ stage: z.string() })) })
const device = z.object({ connected: z.boolean() })
const record = z.object({ id: z.string() })
const failure = z.object({ code: z.number(), error: z.string(), requestId: z.string() })

/**
 * Allowed answers of an overloaded hub: 200, 503 with Retry-After, 401 for an expired token, 408 for a request that it
 * could not read in time.
 */
function readAnswer({ status, headers }: Response, body: string): Partial<Answered> {
  const json = parseJson(body)
  if (status === 200) {
    const id = record.safeParse(json).data?.id
    const isReplay = headers.get('idempotent-replayed') === 'true'
    return { id, body, isReplay, ...(id === undefined && { wrong: `answered 200 without an id: ${body}` }) }
  }
  const code = failure.safeParse(json).data?.code
  if (code === 40102 || code === 40800) return {}
  if (status !== 503 || code !== 50300) return { wrong: `answered ${status}: ${body.slice(0, 200)}` }
  return /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
    ? {}
    : { wrong: 'answered 503 without Retry-After' }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && Object(error.cause).code === 'ECONNREFUSED'
}

/** Repeats the login until the hub answers: it may be restarting. */
async function logIn({
  nextBase,
  clientId,
  clientSecret,
}: Pick<ProcessorOptions, 'clientId' | 'clientSecret'> & { nextBase: () => string }): Promise<string> {
  const until = performance.now() + GIVE_UP_MS
  for (;;) {
    try {
      return await accessTokenOf(nextBase(), { clientId, clientSecret })
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(RETRY_AFTER_MS)
    }
  }
}
