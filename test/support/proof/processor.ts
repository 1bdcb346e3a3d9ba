import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { signedCallback } from '../callback.ts'

/** A processor retries a callback for this long. A restarting hub is back sooner. */
const GIVE_UP_MS = 120_000
const RETRY_AFTER_MS = 200
/** The timeout of a request: longer than a hub takes to drain. */
const ANSWER_WITHIN_MS = 20_000

export interface Payment {
  ftCode: string
  terminalID: string
  amount: string
  /** When it was first reported, by `performance.now()`. */
  sentAt: number
  /** When the hub first said 200, by `performance.now()`; 0 before. */
  answeredAt: number
}

/** A status, `refused` for a refused connection, or `cut` for a connection that ended before an answer. */
export type Answer = number | 'refused' | 'cut'

/** An answer of the hub at `base`, with the times of the request and of the answer, by `performance.now()`. */
export interface Answered {
  base: string
  answer: Answer
  from: number
  until: number
}

/** A payment processor: it repeats a report until the hub answers 200, and sometimes once more. */
export interface Processor {
  /** Reports until the hub answers 200 or the time is over. Resolves with the number of attempts. */
  report(payment: Payment): Promise<number>
  /** The stage of each speaker's announcement in the API. Undefined when the request fails. */
  stages(payment: Payment): Promise<string[] | undefined>
  /** Whether the API shows a device as connected. Undefined when the request fails. */
  isConnected(serial: string): Promise<boolean | undefined>
  /** The number of each answer. */
  readonly answers: ReadonlyMap<Answer, number>
  /** Sentences about answers that a processor can't handle: at most `MOST_WRONG`. */
  readonly wrong: readonly string[]
}

export interface ProcessorOptions {
  /** The hub, or several hubs that get the requests in turn. */
  base: string | readonly string[]
  clientId: string
  clientSecret: string
  /** In [0, 1). Chooses the payments that are reported once more after their 200. */
  random: () => number
  /** Gets every answer to a report. */
  observe?: (answered: Answered) => void
}

/** The share of payments that are reported once more after their 200. */
const REPEATED = 0.05
const MOST_WRONG = 10

export async function createProcessor(options: ProcessorOptions): Promise<Processor> {
  const { clientId, clientSecret, random, observe = () => undefined } = options
  const nextBase = inTurn(options.base)
  const answers = new Map<Answer, number>()
  const wrong: string[] = []
  let token = await logIn({ nextBase, clientId, clientSecret })

  const complain = (what: string) => {
    if (wrong.length < MOST_WRONG) wrong.push(what)
  }

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
    const count = (answer: Answer) => {
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
      observe({ base, answer, from, until: performance.now() })
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
      const text = await response.text()
      checkAnswer(response, text, complain)
      return count(response.status)
    } catch (error) {
      return count(isRefusal(error) ? 'refused' : 'cut')
    }
  }

  async function read(path: string): Promise<unknown> {
    const headers = { Authorization: `Bearer ${token}` }
    const ask = () => fetch(`${nextBase()}/api/v1/partner/${path}`, { headers })
    // A connection that was idle for long may be closed in the moment in which it is used.
    return (await ask().catch(ask)).json()
  }

  return {
    answers,
    wrong,
    async stages({ ftCode }) {
      const found = transaction.safeParse(await read(`payment/transactions/${ftCode}`))
      return found.data?.announcements.map((one) => one.stage)
    },
    async isConnected(serial) {
      return device.safeParse(await read(`device/${serial}`)).data?.connected
    },
    async report(payment) {
      payment.sentAt = performance.now()
      const until = payment.sentAt + GIVE_UP_MS
      for (let attempts = 1; ; attempts += 1) {
        const status = await attempt(payment)
        if (status === 200) {
          payment.answeredAt = performance.now()
          if (random() < REPEATED) await attempt(payment)
          return attempts
        }
        if (performance.now() > until) return attempts
        if (status === 401) token = await logIn({ nextBase, clientId, clientSecret })
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
const failure = z.object({ code: z.number(), error: z.string(), requestId: z.string() })

/**
 * Allowed answers of an overloaded hub: 200, 503 with Retry-After, 401 for an expired token, 408 for a request that it
 * could not read in time.
 */
function checkAnswer(response: Response, text: string, complain: (what: string) => void) {
  const { status, headers } = response
  if (status === 200) return
  const parsed = failure.safeParse(asJson(text))
  if (parsed.data?.code === 40102 || parsed.data?.code === 40800) return
  if (status !== 503 || parsed.data?.code !== 50300) complain(`answered ${status}: ${text.slice(0, 200)}`)
  else if (!/^[1-9]\d*$/.test(headers.get('retry-after') ?? '')) complain('a 503 without Retry-After')
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && Object(error.cause).code === 'ECONNREFUSED'
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const tokens = z.object({ accessToken: z.string() })

/** Repeats the login until the hub answers: it may be restarting. */
async function logIn({
  nextBase,
  clientId,
  clientSecret,
}: Pick<ProcessorOptions, 'clientId' | 'clientSecret'> & { nextBase: () => string }): Promise<string> {
  const until = performance.now() + GIVE_UP_MS
  for (;;) {
    try {
      const response = await fetch(`${nextBase()}/api/v1/partner/auth/token`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ clientId, clientSecret }),
      })
      return tokens.parse(await response.json()).accessToken
    } catch (error) {
      if (performance.now() > until) throw error
      await sleep(RETRY_AFTER_MS)
    }
  }
}
