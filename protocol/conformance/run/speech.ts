import { announcementClips } from '../../money/sentence.ts'
import type { SentCommand } from '../hub/commands.ts'
import { formatSeconds } from '../report/describe.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { type CaseRun, NotApplicable } from './case-run.ts'
import { USUAL_CLIP_MS, usualClipMs } from './clip-speed.ts'

/** More sentences than a small device has room for. */
const MOST_SENTENCES = 6
/** Amounts with sentences of all lengths: its first digits. */
const DIGITS = '1234567891234'
/** Sends an announcement of an amount. */
type Announce = (amount: string) => Promise<SentCommand>

/** Announcements that are spoken one after the other. */
export interface Speech {
  last: SentCommand
  /** How long they take together, at least. */
  ms: number
  count: number
}

/** How long announcements must last together, and how long they should. */
interface Wanted {
  ms: number
  goodMs: number
  /** Only one. */
  alone: boolean
}

/**
 * Sends announcements, one after the other is received: the shortest sentence that lasts long enough, or several of the
 * longest. The speed is known from the announcements before.
 */
export async function speakFor(
  run: CaseRun,
  { ms, goodMs, alone }: Wanted,
  announce: Announce,
): Promise<Speech> {
  const { standIn, profile } = run.bench
  const clipMs = (await clipMsOf(run, announce)) ?? USUAL_CLIP_MS
  const sentences = DIGITS.split('').map((_, last) => {
    const amount = DIGITS.slice(0, last + 1)
    return { amount, ms: clipMs * announcementClips(run.bench.standIn.lang, amount).split(' ').length }
  })
  const enough = sentences.find((sentence) => sentence.ms >= goodMs) ?? sentences.at(-1)
  if (!enough) throw new Error('there is no sentence')
  const most = alone ? 1 : MOST_SENTENCES
  // What is sent behind the first sentence takes a trip, in which the device speaks on.
  const gainMs = Math.max(enough.ms - standIn.trips.usualMs, 1)
  const countFor = (wantedMs: number) => 1 + Math.max(0, Math.ceil((wantedMs - enough.ms) / gainMs))
  const needed = countFor(ms)
  if (needed > most)
    throw new NotApplicable(
      `its sentences are too short: it takes ${needed} to speak for ${formatSeconds(ms)}, and the kit sends ${most} at most`,
    )
  const inTime = Math.floor(profile.timings.speechMs / enough.ms)
  const count = Math.min(countFor(goodMs), most, Math.max(needed, inTime))
  let last = await announce(enough.amount)
  for (let more = count - 1; more > 0; more -= 1) {
    if (!(await isReceived(run, last)))
      throw new NotApplicable(`it has no room for the ${count} sentences that the case needs`)
    last = await announce(enough.amount)
  }
  return { last, ms: count * enough.ms, count }
}

/** Sends announcements until one is not received, `most` at most. Resolves with the last. */
export async function speakUpTo(
  run: CaseRun,
  most: number,
  send: () => Promise<SentCommand>,
): Promise<SentCommand> {
  let last = await send()
  for (let more = most - 1; more > 0 && (await isReceived(run, last)); more -= 1) last = await send()
  return last
}

/** Whether the first answer to an announcement is `received`. */
async function isReceived({ bench }: CaseRun, { id, first }: SentCommand): Promise<boolean> {
  const { standIn, profile } = bench
  const ms = profile.timings.answerMs + standIn.trips.longestMs
  const isAnswer = ({ kind, says }: TranscriptEntry) => kind === 'ack' && says.id === id
  const answer = await standIn.transcript.until(first, ms, isAnswer)
  return answer?.says.st === 'received'
}

/** The device's speed. If it has received no announcement in this run, it speaks one. */
async function clipMsOf({ bench }: CaseRun, announce: Announce): Promise<number | undefined> {
  const { standIn, profile } = bench
  const { transcript, commands } = standIn
  const hasReceived = transcript.all.some(
    ({ kind, says }) => kind === 'ack' && commands.byId(says.id)?.t === 'announce' && says.st === 'received',
  )
  if (hasReceived) return usualClipMs(standIn)
  const { id, first } = await announce('1')
  const isOver = ({ kind, says }: (typeof transcript.all)[number]) =>
    kind === 'ack' && says.id === id && says.st !== 'received'
  await transcript.until(first, profile.timings.speechMs, isOver)
  return usualClipMs(standIn)
}
