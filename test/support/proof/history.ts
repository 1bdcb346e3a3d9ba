/** A payment as its processor reports it. No other payment has its code, and no other one of its shop its amount. */
export interface Payment {
  ftCode: string
  terminalID: string
  amount: string
}

/** A status, `refused` for a refused connection, or `cut` for a connection that ended before an answer. */
export type Answer = number | 'refused' | 'cut'

/**
 * The outcome of one report, with the times of the request and of the answer, by `performance.now()`. Only an answer of
 * 200 has an id and a body.
 */
export interface Answered {
  kind: 'answered'
  ftCode: string
  /** The hub or the balancer that was asked. */
  base: string
  answer: Answer
  from: number
  until: number
  id?: string | undefined
  body?: string
  /** Whether the answer says that the payment was reported before. */
  isReplay?: boolean
  /** What a processor can't handle about the answer. */
  wrong?: string | undefined
}

/** What a client saw of the hub, or what was done to the hub. */
export type Happening =
  | ({ kind: 'asked'; base: string } & Payment)
  | Answered
  /** The shop's speaker has begun a sentence. */
  | { kind: 'heard'; terminalID: string; amount: string }
  /** The shop's speaker shows a notice of missed payments. */
  | { kind: 'shown'; terminalID: string; count: number; sum: string }
  /** The shop's speaker is welcomed, or has lost its connection. */
  | { kind: 'online' | 'offline'; terminalID: string }
  /** What was done to a hub or to what it needs. */
  | { kind: 'done'; what: string }

/** Takes what happens now, or at another time by `performance.now()`. */
export type Note = (happening: Happening, at?: number) => void

/** A happening, with its time by `performance.now()`. */
export type Entry = Happening & { at: number }

/** When a payment was first asked for, answered with 200, and heard. Undefined before. */
export type Times = Readonly<Record<'asked' | 'answered' | 'heard', number | undefined>>

/** What clients saw, in order. */
export interface History {
  readonly entries: readonly Entry[]
  /** In the order in which they were first asked for. */
  readonly payments: readonly Payment[]
  note: Note
  /** The entries about a payment, in order. */
  of(payment: Payment): readonly Entry[]
  times(payment: Payment): Times
  haveHeard(payments: readonly Payment[]): boolean
  /** For the spoken payments: sorted milliseconds from the first report to the sentence. */
  delays(payments: readonly Payment[]): number[]
  /** The number of payments that got 200. */
  answered(): number
  /** How often the hub gave each answer. */
  answers(): ReadonlyMap<Answer, number>
}

export function createHistory(entries: readonly Entry[] = []): History {
  const all: Entry[] = []
  const payments: Payment[] = []
  /** The same lists by code, and by what a speaker says of the payment. */
  const byCode = new Map<string, Entry[]>()
  const bySentence = new Map<string, Entry[]>()

  function listOf(sentence: { terminalID: string; amount: string }): Entry[] {
    const key = sentenceOf(sentence)
    const list = bySentence.get(key) ?? []
    bySentence.set(key, list)
    return list
  }

  function listFor(entry: Entry): Entry[] | undefined {
    if (entry.kind === 'heard') return listOf(entry)
    if (entry.kind === 'answered') return byCode.get(entry.ftCode)
    if (entry.kind !== 'asked') return undefined
    const { ftCode, terminalID, amount } = entry
    const known = byCode.get(ftCode)
    if (known) return known
    payments.push({ ftCode, terminalID, amount })
    const list = listOf(entry)
    byCode.set(ftCode, list)
    return list
  }

  function add(entry: Entry) {
    all.push(entry)
    listFor(entry)?.push(entry)
  }

  for (const entry of entries) add(entry)
  const self: History = {
    entries: all,
    payments,
    note: (happening, at = performance.now()) => add({ ...happening, at }),
    of: ({ ftCode }) => byCode.get(ftCode) ?? [],
    times(payment) {
      const seen = self.of(payment)
      const first = (found: (entry: Entry) => boolean) => seen.find(found)?.at
      return {
        asked: first(({ kind }) => kind === 'asked'),
        answered: first(isAccepted),
        heard: first(({ kind }) => kind === 'heard'),
      }
    },
    haveHeard: (some) => some.every((payment) => self.times(payment).heard !== undefined),
    delays: (some) =>
      some
        .map(self.times)
        .flatMap(({ asked, heard }) => (asked === undefined || heard === undefined ? [] : [heard - asked]))
        .toSorted((a, b) => a - b),
    answered: () => payments.filter((payment) => self.times(payment).answered !== undefined).length,
    answers() {
      const counts = new Map<Answer, number>()
      for (const { answer } of all.filter(isAnswered)) counts.set(answer, (counts.get(answer) ?? 0) + 1)
      return counts
    },
  }
  return self
}

/** What a speaker says of a payment names it. */
export function sentenceOf({ terminalID, amount }: { terminalID: string; amount: string }): string {
  return `${terminalID} ${amount}`
}

export function sumOf(payments: readonly Payment[]): bigint {
  return payments.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

export function isAnswered(entry: Entry): entry is Entry & Answered {
  return entry.kind === 'answered'
}

export function isAccepted(entry: Entry): entry is Entry & Answered {
  return isAnswered(entry) && entry.answer === 200
}

export function isHeard(entry: Entry): entry is Entry & { kind: 'heard' } {
  return entry.kind === 'heard'
}

export function isShown(entry: Entry): entry is Entry & { kind: 'shown' } {
  return entry.kind === 'shown'
}
