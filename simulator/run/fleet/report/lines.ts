import { z } from 'zod'
import { LINK_STATES } from '../model/roster.ts'

/** The lines of a fleet without a screen: their types, and their published schema. */

const count = z.int().min(0)
const ms = z.number().min(0)
const perSecond = z.number().min(0)

const times = z
  .object({ count, p50: ms, p90: ms, p99: ms, max: ms.describe('The longest, exactly.') })
  .nullable()
  .describe('Times in milliseconds, rounded to tenths; null before the first.')
  .meta({ id: 'times' })

const pay = z
  .object({
    sent: count,
    answered: count.describe('The hub said 200.'),
    heardOnce: count,
    heardTwice: count.describe('Heard twice or more often.'),
    missed: count.describe('Not heard, and on record at the hub as expired, failed or suppressed.'),
    lost: count.describe("Answered and not heard, and the hub's record does not say why."),
    unanswered: count,
    open: count,
    retries: count.describe('Callbacks sent again, because the hub did not answer or could not store them.'),
    foreign: count.describe('Sentences that no payment of this fleet explains.'),
    shops: z
      .object({ ready: count, waiting: count, failed: count, lastFailure: z.string() })
      .describe(
        'That can be paid to, are being registered, and could not be; why not the last of these, or empty.',
      ),
    heldBack: count.describe('Payments that came due and were not made: 256 callbacks were under way.'),
    answerMs: times.describe('Callback to 200; in a summary of the last minute, in the report of all.'),
    speechMs: times.describe('Callback to sentence; in a summary of the last minute, in the report of all.'),
  })
  .describe('Only when the fleet pays.')
  .meta({ id: 'pay' })

const figures = {
  at: z.iso.datetime(),
  elapsedS: z.number().min(0).describe('Seconds since the start.'),
  speakers: count,
  links: z.record(z.enum(LINK_STATES), count).describe('How many speakers have come how far.'),
  reconnects: count.describe("Welcomes after a speaker's first."),
  announced: count.describe('Sentences that speakers began to speak.'),
  connectMs: times.describe('CONNECT to welcome, over the whole run.'),
  pay: z.exactOptional(pay),
}

const summary = z
  .object({
    event: z.literal('summary'),
    phase: z.enum(['connecting', 'running', 'settling', 'ending']),
    ...figures,
    connectsPerS: perSecond.describe('On average over the last five seconds.'),
    announcementsPerS: perSecond.describe('On average over the last five seconds.'),
    rssBytes: count.describe('Resident memory of the process.'),
  })
  .describe('What is known at one moment, a line a second.')

const report = z
  .object({
    event: z.literal('report'),
    ok: z.boolean().describe('Whether the exit code is 0.'),
    problems: z.array(z.string()).describe('What is wrong otherwise, a sentence each.'),
    ...figures,
    highestRssBytes: count.describe('The most memory that was seen.'),
  })
  .describe('The whole run, the last line. Its links are those before the speakers were switched off.')

export const fleetLine = z.discriminatedUnion('event', [summary, report])
export type Summary = z.infer<typeof summary>
export type Report = z.infer<typeof report>
export type PaySummary = z.infer<typeof pay>
export type Times = z.infer<typeof times>
