import { z } from 'zod'
import { FAILED_OUTCOMES } from '../model/ledger.ts'
import { LINK_STATES } from '../model/roster.ts'

/** The lines of a fleet without a screen: their types, and their published schema. */

const count = z.int().min(0)
const ms = z.number().min(0)
const perSecond = z.number().min(0)

const times = z
  .object({ count, p50: ms, p90: ms, p95: ms, p99: ms, max: ms.describe('The longest, exactly.') })
  .nullable()
  .describe('Times in milliseconds, rounded to tenths; null before the first.')
  .meta({ id: 'times' })

const timesFor = (what: string) =>
  times.describe(`${what}; in a summary of the last minute, in the report of all.`)

const pay = z
  .object({
    sent: count.describe('Payments made: callbacks that were sent, each counted once.'),
    answered: count.describe('The hub said 200.'),
    heard: count.describe('Heard once or more often.'),
    heardOnce: count.describe('Heard exactly once.'),
    heardTwice: count.describe('Heard twice or more often.'),
    missed: count.describe('Not heard, and on record at the hub as expired, failed or suppressed.'),
    silent: count.describe('Not heard, and on record as delivered: a box of another maker has it.'),
    lost: count.describe("Answered and not heard, and the hub's record does not say why."),
    unanswered: count.describe('Repeated for 90 s without a 200.'),
    open: count.describe('Without an outcome so far.'),
    retries: count.describe('Callbacks sent again, because the hub did not answer or could not store them.'),
    foreign: count.describe('Sentences that no payment of this fleet explains.'),
    mayRepeat: count.describe('Heard twice, and on record as one that its box may repeat.'),
    late: count.describe('Heard more than 130 s after their 200.'),
    dialects: z.exactOptional(
      z
        .record(
          z.string(),
          z.object({
            ...{ sent: count, heardOnce: count, heardTwice: count, mayRepeat: count },
            ...{ missed: count, silent: count, late: count },
          }),
        )
        .describe(
          'With boxes of other makers: the same of each dialect, by the names of --dialect and sb/1.',
        ),
    ),
    shops: z
      .object({ ready: count, missing: count, waiting: count, failed: count, lastFailure: z.string() })
      .describe(
        'That can be paid to, and all others; of these, being registered, and those that could not be; why not the last of these, or empty.',
      ),
    asked: count.describe('Payments that came due: sent and held back.'),
    heldBack: count.describe(
      'Payments that came due and were not made: their shop was missing, or 256 callbacks were under way.',
    ),
    withoutShop: count.describe('Those of them whose shop was missing.'),
    bills: count.describe('Callbacks with a bill number.'),
    qrs: count.describe('QRs that were asked for.'),
    qrsRefused: count.describe('Those that the hub refused.'),
    qrsUnseen: count.describe('Those that no speaker showed within 10 s.'),
    repeats: count.describe('Callbacks sent again after their 200.'),
    repeatsRefused: count.describe('Those that were not answered like the first.'),
    wrongChecksums: count.describe('Callbacks with a wrong checksum; they are not among those sent.'),
    wrongAccepted: count.describe('Those that the hub answered with 200.'),
    answerMs: timesFor('Callback to 200'),
    socketMs: timesFor("Callback to the announcement at the speaker's socket"),
    queueMs: timesFor('From there on, the wait for the end of another sentence of the speaker'),
    soundMs: timesFor('Callback to sentence, without the wait for another sentence'),
    speechMs: timesFor('Callback to sentence'),
    qrMs: timesFor("Request for a QR to the speaker's screen"),
  })
  .describe('Only when the fleet pays.')
  .meta({ id: 'pay' })

const figures = {
  at: z.iso.datetime(),
  elapsedS: z.number().min(0).describe('Seconds since the start.'),
  speakers: count.describe('Speakers of the fleet.'),
  ramp: z
    .object({
      ended: z.enum(['complete', 'stalled', 'stopped']).nullable(),
      seconds: z.number().min(0).nullable(),
    })
    .describe(
      'How the ramp ended, and its length: all was ready, it got no further, the run was ended; null before.',
    ),
  links: z.record(z.enum(LINK_STATES), count).describe('How many speakers have come how far.'),
  mostConnected: count.describe('The most speakers that were connected at one time.'),
  reconnects: count.describe("Welcomes after a speaker's first."),
  announced: count.describe('Sentences that speakers began to speak.'),
  awayS: z.number().min(0).describe('Seconds without any connected speaker, or without the partner API.'),
  conditions: z
    .record(z.string(), count)
    .describe('Speakers with each fault and network of --fault and --network.'),
  connectMs: times.describe('CONNECT to welcome, over the whole run.'),
  pay: z.exactOptional(pay),
}

export const summaryLine = z
  .object({
    event: z.literal('summary'),
    phase: z.enum(['connecting', 'running', 'settling', 'ending']),
    ...figures,
    away: z
      .object({
        noSpeakerSince: z.iso.datetime().nullable().describe('Since when no speaker is connected.'),
        noAnswerSince: z.iso.datetime().nullable().describe('Since when the partner API is unreachable.'),
        failure: z.string().describe('Why it is unreachable, or empty.'),
      })
      .nullable()
      .describe('The hub is away; null while it is there.'),
    stage: z
      .object({
        name: z.enum(['ramp', 'hold', 'spike', 'pause']),
        number: z.int().min(1),
        of: z.int().min(1),
      })
      .nullable()
      .describe('The stage of the load; null without stages, before the first and after the last.'),
    paymentsPerS: perSecond.describe('Payments that are asked for at this moment.'),
    connectsPerS: perSecond.describe('On average over the last five seconds.'),
    announcementsPerS: perSecond.describe('On average over the last five seconds.'),
    rssBytes: count.describe('Resident memory of the process.'),
  })
  .describe('What is known at one moment, a line a second.')

/** What a run has reached: the figures that thresholds judge. */
export const reachedLine = z.object({
  ...figures,
  highestRssBytes: count.describe('The most memory that was seen.'),
})
export type Reached = z.infer<typeof reachedLine>

const failure = z.object({
  outcome: z.enum(FAILED_OUTCOMES).describe('As in `pay`.'),
  ftCode: z.string(),
  serial: z.string().describe('The speaker that should have said it.'),
  amount: z.string(),
  sentAt: z.iso.datetime().describe('When its callback was sent first.'),
  why: z.string().describe("The hub's record, or the error of the callback; empty when neither is known."),
})

const buckets = z
  .object({ max: ms, counts: z.array(z.tuple([count, count])) })
  .describe('How many times are in each bucket: number n ends at 0.1 ms times 1.02 to the power of n.')
  .meta({ id: 'buckets' })
export type Buckets = z.infer<typeof buckets>

export const reportLine = z
  .object({
    event: z.literal('report'),
    ok: z.boolean().describe('Whether the exit code is 0.'),
    problems: z.array(z.string()).describe('What is wrong otherwise, a sentence each.'),
    expectations: z
      .array(
        z.object({
          expect: z
            .string()
            .describe('connected, shops, rate, heard, missed, p99, or the text of an --expect.'),
          expected: z.number().min(0).describe('Speakers, shops, payments, percent, milliseconds.'),
          reached: z.number().min(0).nullable().describe('Null when nothing was measured.'),
          ok: z.boolean(),
          says: z.string(),
        }),
      )
      .describe('What the run had to reach, and what it has reached.'),
    ...reachedLine.shape,
    buckets: z.exactOptional(
      z
        .record(z.string(), buckets)
        .describe(
          'All times, by the name of their figure without `Ms`: for the merged report of several fleets.',
        ),
    ),
    failures: z.exactOptional(
      z
        .array(failure)
        .describe('The payments that were not heard exactly once, the first 1,000 of each outcome.'),
    ),
  })
  .describe('The whole run, the last line. Its links are those before the speakers were switched off.')

export const fleetLine = z.discriminatedUnion('event', [summaryLine, reportLine])
export type Summary = z.infer<typeof summaryLine>
export type Report = z.infer<typeof reportLine>
export type PaySummary = z.infer<typeof pay>
export type Failure = z.infer<typeof failure>
export type Times = z.infer<typeof times>
