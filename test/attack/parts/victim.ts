import { once } from 'node:events'
import { Agent, type ClientRequest, request } from 'node:http'
import { z } from 'zod'
import type { Storage } from '../../../server/storage/ports.ts'
import { pace } from '../../bench/parts/pace.ts'
import { createLightSpeaker } from '../../force/parts/light-speaker.ts'
import { signedCallback } from '../../support/callback.ts'
import type { OnEnd } from '../../support/folder.ts'
import type { OwnHub } from '../../support/processes/own-hub.ts'
import { judge } from '../../support/proof/judge.ts'
import type { Payment } from '../../support/proof/processor.ts'
import { waitUntil } from '../../support/wait.ts'
import type { Shop } from './town.ts'

/** Every tenth callback goes over a new connection, the others over those that are open. */
const NEW_CONNECTION_EACH = 10
/** The victim's own limit of connections, as any client library has one. */
const CONNECTIONS = 32
/** A callback without an answer counts as refused. */
const ANSWER_WITHIN_MS = 90_000
/** By then an announcement has been played, or it never will be: it is fresh for 120 s. */
const PLAYED_WITHIN_MS = 130_000
const LOGIN_EACH_MS = 1_000
const FIRST_AMOUNT = 10_000

/** What the victim noticed in one phase. Milliseconds, sorted. */
export interface Noticed {
  /** From the callback's sending to its 200. */
  callback: number[]
  /** From the callback's sending to the announcement's bytes at the speaker. */
  socket: number[]
  payments: number
  /** A sentence for each kind of callback or login without a 200, and how often. */
  refused: Map<string, number>
  lost: number
  doubled: number
  /** A sentence for each payment that is not stored as played and heard once. */
  wrong: string[]
  /** How often the speaker lost its connection. */
  cuts: number
}

/** A partner with one shop and a connected speaker. It has done nothing wrong. */
export interface Victim {
  /** Reports payments at a steady rate, logs in once a second, and waits for what becomes of it. */
  work(perSecond: number, seconds: number): Promise<Noticed>
  /** Logs in, then reports one payment after another, each when the one before is answered. */
  workInTurn(isOver: () => boolean): Promise<Noticed>
}

export interface VictimOptions {
  hub: Pick<OwnHub, 'http' | 'mqtt'>
  storage: Pick<Storage, 'payments'>
  partner: { clientId: string; clientSecret: string }
  shop: Shop
}

export async function openVictim(options: VictimOptions, onEnd: OnEnd): Promise<Victim> {
  const { hub, storage, partner, shop } = options
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  onEnd(() => agent.destroy())
  const speaker = createLightSpeaker(shop, { url: hub.mqtt, random: Math.random })
  onEnd(() => speaker.stop())
  speaker.start()
  if (!(await waitUntil(() => speaker.online, ANSWER_WITHIN_MS)))
    throw new Error('the victim is not welcomed')
  const { accessToken } = token.parse(JSON.parse((await logIn()).text))
  let reported = 0

  function logIn(): Promise<Answer> {
    const sent = request(`${hub.http}/api/v1/partner/auth/token`, { method: 'POST', headers: JSON_BODY })
    return answerOf(sent, JSON.stringify(partner))
  }

  function newPayment(): Payment {
    reported += 1
    const amount = String(FIRST_AMOUNT + reported)
    return { ftCode: `VICTIM${reported}`, terminalID: shop.terminalID, amount, sentAt: 0, answeredAt: 0 }
  }

  async function report(payment: Payment): Promise<Answer> {
    const { ftCode, terminalID, amount: transactionAmount } = payment
    const body = signedCallback(partner.clientSecret, { ftCode, terminalID, transactionAmount })
    const isNew = Number(payment.amount) % NEW_CONNECTION_EACH === 0
    payment.sentAt = performance.now()
    const sent = request(`${hub.http}/api/v1/partner/payment/callback`, {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${accessToken}` },
      agent: isNew ? false : agent,
    })
    const answer = await answerOf(sent, JSON.stringify(body))
    if (answer.status === '200') payment.answeredAt = performance.now()
    return answer
  }

  /** Sends by `send`, which gets a function that reports one payment, and waits for what becomes of the payments. */
  async function notice(send: (one: () => Promise<void>, login: () => Promise<void>) => Promise<void>) {
    const payments: Payment[] = []
    const answers: Promise<void>[] = []
    const refused = new Map<string, number>()
    const sessions = speaker.sessions
    const take = (what: string, asked: Promise<Answer>) => {
      const taken = asked.then(({ status, text }) => {
        if (status === '200') return
        const sentence = `${what}: ${status} ${text.slice(0, 80)}`.trim()
        refused.set(sentence, (refused.get(sentence) ?? 0) + 1)
      })
      answers.push(taken)
      return taken
    }
    await send(
      () => {
        const payment = newPayment()
        payments.push(payment)
        return take('a callback', report(payment))
      },
      () => take('a login', logIn()),
    )
    await Promise.all(answers)
    const answered = payments.filter(({ answeredAt }) => answeredAt > 0)
    const heardAt = ({ amount }: Payment) => speaker.heard.get(amount)?.[0]
    await waitUntil(() => answered.every((one) => heardAt(one) !== undefined), PLAYED_WITHIN_MS)
    const proven = () => judge(storage, partner.clientId, answered, () => speaker.heard)
    // The speaker's last acks are on their way.
    await waitUntil(async () => (await proven()).wrong.length === 0, ANSWER_WITHIN_MS / 10)
    const { lost, doubled, wrong } = await proven()
    return {
      callback: sorted(answered.map(({ sentAt, answeredAt }) => answeredAt - sentAt)),
      socket: sorted(answered.map((one) => (heardAt(one) ?? Number.POSITIVE_INFINITY) - one.sentAt)),
      payments: payments.length,
      ...{ refused, lost, doubled, wrong },
      cuts: speaker.sessions - sessions,
    }
  }

  return {
    work: (perSecond, seconds) =>
      notice(async (one, login) => {
        const logins = setInterval(() => void login(), LOGIN_EACH_MS)
        await pace(perSecond, perSecond * seconds, () => void one())
        clearInterval(logins)
      }),
    workInTurn: (isOver) =>
      notice(async (one, login) => {
        await login()
        do await one()
        while (!isOver())
        await login()
      }),
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' }
const token = z.object({ accessToken: z.string() })

interface Answer {
  /** Of the response, or why there is none. */
  status: string
  text: string
}

async function answerOf(sent: ClientRequest, body: string): Promise<Answer> {
  const late = AbortSignal.timeout(ANSWER_WITHIN_MS)
  late.addEventListener('abort', () => void sent.destroy(new Error('no answer')))
  try {
    sent.end(body)
    const [response] = await once(sent, 'response')
    let text = ''
    for await (const piece of response.setEncoding('utf8')) text += piece
    return { status: String(response.statusCode), text }
  } catch (error) {
    return { status: error instanceof Error ? error.message : String(error), text: '' }
  }
}

function sorted(times: number[]): number[] {
  return times.toSorted((a, b) => a - b)
}
