import type { SentCommand } from '../hub/commands.ts'
import type { StandIn } from '../hub/stand-in.ts'
import { formatSeconds } from '../report/describe.ts'
import type { TranscriptEntry } from '../wire/transcript.ts'
import { type CaseRun, NotApplicable } from './case-run.ts'

/** More sentences than a small device has room for. */
const MOST_SENTENCES = 6

/**
 * Sends announcements that last `ms` milliseconds together, one after the other is received. Resolves with the last.
 * A device that speaks fast needs several. The speed is known from the announcements before. A further try of the case
 * sends twice or three times as many, up to the most that the kit sends.
 */
export async function speakFor(
  run: CaseRun,
  ms: number,
  send: () => Promise<SentCommand>,
): Promise<SentCommand> {
  let last = await send()
  const { standIn } = run.bench
  const clipMs = fastestClipMs(standIn)
  const needed = clipMs === undefined ? 1 : Math.ceil(ms / (clipMs * clipsOf(last)))
  if (needed > MOST_SENTENCES)
    throw new NotApplicable(
      `its sentences are too short: it takes ${needed} to speak for ${formatSeconds(ms)}, and the kit sends ${MOST_SENTENCES} at most`,
    )
  const count = Math.min(needed * run.attempt, MOST_SENTENCES)
  for (let more = count - 1; more > 0; more -= 1) {
    if (!(await isReceived(run, last)))
      throw new NotApplicable(`it has no room for the ${count} sentences that the case needs`)
    last = await send()
  }
  return last
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
  const isAnswer = ({ kind, says }: TranscriptEntry) => kind === 'ack' && says.id === id
  const answer = await bench.standIn.transcript.until(first, bench.profile.timings.answerMs, isAnswer)
  return answer?.says.st === 'received'
}

/** The time from `received` to `played` for each clip, of the sentence in which it was shortest. */
function fastestClipMs({ transcript, commands }: StandIn): number | undefined {
  const receivedAtMs = new Map<unknown, number>()
  const clipMs = transcript.all.flatMap(({ kind, says, atMs }) => {
    const command = kind === 'ack' ? commands.byId(says.id) : undefined
    if (command?.t !== 'announce' || says.dup) return []
    if (says.st === 'received') receivedAtMs.set(says.id, atMs)
    const fromMs = receivedAtMs.get(says.id)
    return says.st === 'played' && fromMs !== undefined ? [(atMs - fromMs) / clipsOf(command)] : []
  })
  return clipMs.length > 0 ? Math.max(1, Math.min(...clipMs)) : undefined
}

function clipsOf({ d }: SentCommand): number {
  return String(Object(d).clips).split(' ').length
}
