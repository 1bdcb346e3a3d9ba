/** What a run must reach. Undefined: all that it was asked for; without `p99Ms` the time to speech is not judged. */
export interface Expected {
  /** Speakers that are connected when it ends. */
  connected?: number | undefined
  /** Shops that can be paid to. */
  shops?: number | undefined
  /** Payments made, in percent of those that were asked for. */
  ratePercent?: number | undefined
  /** Callback to speech, milliseconds. */
  p99Ms?: number | undefined
}

/** What a run has reached. */
export interface Reached {
  speakers: number
  connectedAtEnd: number
  mostConnected: number
  /** Undefined: the fleet does not pay. */
  pay:
    | {
        shops: { ready: number; waiting: number; failed: number; lastFailure: string }
        /** Payments that came due by `--pay`: sent and held back. */
        asked: number
        sent: number
        heldBack: number
        /** Payments held back because their shop was missing. */
        withoutShop: number
        /** Undefined: no payment was heard. */
        p99Ms: number | undefined
      }
    | undefined
}

/** One expectation and what became of it. */
export interface Judged {
  expect: 'connected' | 'shops' | 'rate' | 'p99'
  /** Speakers, shops, percent, milliseconds. */
  expected: number
  /** Null: nothing was measured. */
  reached: number | null
  ok: boolean
  /** The same as a sentence without its full stop. */
  says: string
}

/** The least part of the payments, in percent, that is made unless the run expects another one. */
export const LEAST_RATE = 95

/** Compares what a run has reached with what it must reach. */
export function judge(expected: Expected, reached: Reached): Judged[] {
  const { connected = reached.speakers, shops = reached.speakers, ratePercent = LEAST_RATE, p99Ms } = expected
  const { pay } = reached
  return [
    judgeConnected(connected, reached),
    ...(pay ? [judgeShops(shops, reached.speakers, pay), judgeRate(ratePercent, pay)] : []),
    ...(pay && p99Ms !== undefined ? [judgeP99(p99Ms, pay.p99Ms)] : []),
  ]
}

type Paid = NonNullable<Reached['pay']>

function judgeConnected(expected: number, { speakers, connectedAtEnd, mostConnected }: Reached): Judged {
  const fact = `${connectedAtEnd} of ${speakers} speakers were connected at the end, ${mostConnected} at the most`
  return judged(
    'connected',
    expected,
    connectedAtEnd,
    connectedAtEnd >= expected,
    fact,
    `${expected} or more`,
  )
}

function judgeShops(expected: number, speakers: number, { shops }: Paid): Judged {
  const { ready, failed, lastFailure } = shops
  const refused = failed > 0 ? `, ${failed} were not registered (${lastFailure})` : ''
  const fact = `${ready} of ${speakers} shops were ready, ${speakers - ready} were missing${refused}`
  return judged('shops', expected, ready, ready >= expected, fact, `${expected} or more`)
}

function judgeRate(expected: number, { asked, sent, heldBack, withoutShop }: Paid): Judged {
  const expects = `${expected} % or more`
  if (asked === 0) return judged('rate', expected, null, expected === 0, 'no payment came due', expects)
  // Rounds down, so that 94.96 % does not read as 95 %.
  const percent = Math.floor((1000 * sent) / asked) / 10
  const fact = `${sent} of ${asked} payments were made (${percent} %), ${heldBack} were held back, ${withoutShop} of them without a shop`
  return judged('rate', expected, percent, (100 * sent) / asked >= expected, fact, expects)
}

function judgeP99(expected: number, reached: number | undefined): Judged {
  const expects = `${expected} ms or less`
  if (reached === undefined) return judged('p99', expected, null, false, 'no payment was heard', expects)
  const fact = `callback to speech took ${reached} ms or less for 99 of 100 payments`
  return judged('p99', expected, reached, reached <= expected, fact, expects)
}

function judged(
  expect: Judged['expect'],
  expected: number,
  reached: number | null,
  ok: boolean,
  fact: string,
  expects: string,
): Judged {
  return { expect, expected, reached, ok, says: `${fact}; --expect-${expect} is ${expects}` }
}
