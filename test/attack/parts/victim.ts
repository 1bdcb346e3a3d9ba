import type { Storage } from '../../../server/storage/ports.ts'
import { pace } from '../../bench/parts/pace.ts'
import { gatherEars } from '../../force/parts/ear.ts'
import { createLightSpeakers } from '../../force/parts/light-speaker.ts'
import type { Shop } from '../../force/parts/world.ts'
import type { OnEnd } from '../../support/folder.ts'
import { createHistory } from '../../support/proof/history.ts'
import { judge } from '../../support/proof/judge.ts'
import { toStored } from '../../support/proof/record.ts'
import { waitUntil } from '../../support/wait.ts'
import { type Answer, openApi, type Partner, type Payment } from './api.ts'
import { type Machine, watchMachine } from './machine.ts'
import { createNewSpeakers } from './new-speakers.ts'
import { type Newcomers, openNewcomers } from './newcomers.ts'

const WELCOMED_WITHIN_MS = 60_000
/** By then an announcement has been heard, or it never will be: it is fresh for 120 s. */
const HEARD_WITHIN_MS = 130_000
/** For the last acks, which are on their way. A loaded machine does not reach it. */
const STORED_WITHIN_MS = 600_000
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
  /** A sentence for each answered payment that is not stored as played and heard once. */
  wrong: string[]
  /** How often a speaker lost its connection. */
  cuts: number
  /** How its new connections fared, where it opened some. */
  newcomers: Newcomers
  /** How often a proxy took the hub for dead. */
  downs: number
  machine: Machine
}

/** A partner with a few shops, each with a connected speaker. It has done nothing wrong. */
export interface Victim {
  /** Reports payments at a steady rate, logs in once a second, opens new connections, and waits for what becomes of it. */
  work(perSecond: number, seconds: number): Promise<Noticed>
  /** Logs in, then reports one payment after another by `watch`, each when the one before is answered. */
  workInTurn(isOver: () => boolean, watch: (pay: () => Promise<unknown>) => Promise<void>): Promise<Noticed>
}

/** How the victim reaches the hub: directly or through a proxy. */
export interface Entrance {
  http: string
  mqtt: string
  /** How often the proxy has taken the hub for dead. */
  downs(): number
}

/** What the victim does. Resolves with the reason why it is refused. */
interface Acts {
  pay(isNew?: boolean): Promise<string | undefined>
  logIn(): Promise<string | undefined>
}

export interface VictimOptions {
  entrance: Entrance
  dataDir: string
  storage: Pick<Storage, 'payments'>
  partner: Partner
  shops: readonly Shop[]
  /** Their speakers are off. Each connects now and then, and leaves when it is welcomed. */
  visitors: readonly Shop[]
}

export async function openVictim(options: VictimOptions, onEnd: OnEnd): Promise<Victim> {
  const { entrance, dataDir, storage, partner, shops } = options
  const api = await openApi(entrance.http, partner, onEnd)
  const connectNew = createNewSpeakers(options.visitors, entrance.mqtt)
  /** Of one phase. */
  let history = createHistory()
  const speakers = createLightSpeakers(shops, {
    ...{ url: entrance.mqtt, random: Math.random, note: (one) => history.note(one) },
  })
  const ears = gatherEars(speakers)
  onEnd(() => ears.stop())
  for (const speaker of speakers) speaker.start()
  if ((await ears.untilOnline(WELCOMED_WITHIN_MS)) === undefined)
    throw new Error('the victim is not welcomed')
  let reported = 0

  function newPayment(): Payment {
    reported += 1
    const amount = String(FIRST_AMOUNT + reported)
    const { terminalID = '' } = shops[reported % shops.length] ?? {}
    return { ftCode: `VICTIM${reported}`, terminalID, amount, sentAt: 0, answeredAt: 0 }
  }

  let checks = 0
  const checkHealth = async () => {
    checks += 1
    const path = checks % 2 === 0 ? '/healthz' : '/readyz'
    return refusalOf(path, await api.check(path))
  }

  function sessions(): number {
    return speakers.reduce((sum, speaker) => sum + speaker.sessions, 0)
  }

  /** `send` makes the requests. Then it waits for their answers, and for what becomes of the payments. */
  async function notice(send: (acts: Acts) => Promise<Newcomers>): Promise<Noticed> {
    const payments: Payment[] = []
    const answers = gatherAnswers()
    const [sessionsBefore, downsBefore] = [sessions(), entrance.downs()]
    const machineOf = watchMachine(dataDir)
    const pay = (isNew?: boolean) => {
      const payment = newPayment()
      payments.push(payment)
      return answers.take('a callback', api.report(payment, isNew))
    }
    const newcomers = await send({ pay, logIn: () => answers.take('a login', api.logIn()) })
    const machine = await machineOf()
    const refused = await answers.refused()
    const answered = payments.filter(({ answeredAt }) => answeredAt > 0)
    return {
      callback: answered.map(({ sentAt, answeredAt }) => answeredAt - sentAt).toSorted((a, b) => a - b),
      ...(await followed(answered)),
      payments: payments.length,
      refused,
      cuts: sessions() - sessionsBefore,
      newcomers,
      downs: entrance.downs() - downsBefore,
      machine,
    }
  }

  async function followed(answered: readonly Payment[]) {
    for (const { sentAt, answeredAt, ...payment } of answered) {
      history.note({ kind: 'asked', base: entrance.http, ...payment }, sentAt)
      const times = { from: sentAt, until: answeredAt }
      history.note({ kind: 'answered', base: entrance.http, ...payment, answer: 200, ...times }, answeredAt)
    }
    const seen = history
    await waitUntil(() => seen.haveHeard(answered), HEARD_WITHIN_MS)
    async function judged() {
      const views = answered.map(({ ftCode }) => storage.payments.findByFtCode(partner.clientId, ftCode))
      const payments = (await Promise.all(views)).flatMap((view) => (view ? [toStored(view)] : []))
      return judge(seen, { payments, totals: [] }, { mayBeMissed: () => false })
    }
    await waitUntil(async () => (await judged()).violations.length === 0, STORED_WITHIN_MS)
    const { lost, doubled, violations } = await judged()
    history = createHistory()
    return { socket: seen.delays(answered), lost, doubled, wrong: violations.map(({ says }) => says) }
  }

  return {
    work: (perSecond, seconds) =>
      notice(async ({ pay, logIn }) => {
        const newcomersOf = openNewcomers({
          callback: () => pay(true),
          health: checkHealth,
          speaker: connectNew,
        })
        const logins = setInterval(() => void logIn(), LOGIN_EACH_MS)
        await pace(perSecond, perSecond * seconds, () => void pay())
        clearInterval(logins)
        return newcomersOf()
      }),
    workInTurn: (isOver, watch) =>
      notice(async ({ pay, logIn }) => {
        await logIn()
        do await watch(pay)
        while (!isOver())
        await logIn()
        return {}
      }),
  }
}

function gatherAnswers() {
  const taken: Promise<unknown>[] = []
  const refused = new Map<string, number>()
  return {
    take(what: string, asked: Promise<Answer>): Promise<string | undefined> {
      const one = asked.then((answer) => {
        const sentence = refusalOf(what, answer)
        if (sentence !== undefined) refused.set(sentence, (refused.get(sentence) ?? 0) + 1)
        return sentence
      })
      taken.push(one)
      return one
    },
    async refused() {
      await Promise.all(taken)
      return refused
    },
  }
}

function refusalOf(what: string, { status, text }: Answer): string | undefined {
  return status === '200' ? undefined : `${what}: ${status} ${text.slice(0, 80)}`.trim()
}
