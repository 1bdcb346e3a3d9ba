import type { SentCommand } from '../hub/commands.ts'
import type { StandIn } from '../hub/stand-in.ts'

/** Until the device has spoken: as fast as the simulated speaker. */
export const USUAL_CLIP_MS = 220
/** No clip is longer. What took longer was not speech: the device waited for something. */
const LONGEST_CLIP_MS = 1_000

/** How long the device takes for an announcement, at its usual speed. */
export function sentenceMs(standIn: StandIn, command: SentCommand): number {
  return (usualClipMs(standIn) ?? USUAL_CLIP_MS) * clipsOf(command)
}

/**
 * The time from `received` to `played` for each clip. A network may delay one of the two, and a sentence may have
 * waited behind another one: three of four are slower.
 */
export function usualClipMs({ transcript, commands }: StandIn): number | undefined {
  const receivedAtMs = new Map<unknown, number>()
  const clipMs = transcript.all.flatMap(({ kind, says, atMs }) => {
    const command = kind === 'ack' ? commands.byId(says.id) : undefined
    if (command?.t !== 'announce' || says.dup) return []
    if (says.st === 'received') receivedAtMs.set(says.id, atMs)
    const fromMs = receivedAtMs.get(says.id)
    return says.st === 'played' && fromMs !== undefined ? [(atMs - fromMs) / clipsOf(command)] : []
  })
  const quarter = clipMs.sort((one, other) => one - other)[Math.floor(clipMs.length / 4)]
  return quarter === undefined ? undefined : Math.min(Math.max(1, quarter), LONGEST_CLIP_MS)
}

function clipsOf({ d }: SentCommand): number {
  return String(Object(d).clips).split(' ').length
}
