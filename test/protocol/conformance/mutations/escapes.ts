import type { Edit } from './edit.ts'
import { fits, type Kind } from './kind.ts'

/** Faulty speakers that the kit does not find, each kind with the reason. */
export const ESCAPES: readonly Kind[] = [
  {
    place: /REFUSED_SPREAD_MS|refusedDelayMs/,
    why: 'the random part of a long wait (13.2, a SHOULD): one wait of one device shows no spread',
  },
  {
    place: /FIRST_CEILING_MS|retryDelayMs|planRetry/,
    why: 'longer waits than the table (13.1): the kit can not tell them from a slow modem',
  },
  {
    place: /connection\.ts receive/,
    change: / → true$/,
    why: 'counts any frame as a welcome (13.3, a SHOULD): no case lets a hub fail after it has sent frames',
  },
  {
    place: /publishTelemetry:|telemetryTimer|TELEMETRY_MS/,
    why: 'when telemetry comes (8.9): no run of the kit is long enough to watch its rhythm',
  },
  {
    place: /update\.ts onUpdate/,
    change: /declinesUpdates|state: 'failed'/,
    why: 'declines or fails an offer that it could take: the device decides alone (18.1)',
  },
  {
    place: /sounds\.ts enqueue/,
    change: /startNext/,
    why: 'starts a sound a moment later: the PUBACK of `received` lets it look into its queue, too (no clause says when)',
  },
  {
    place: /hardware\.ts NEEDS/,
    why: 'commands for hardware that it lacks (7.17, a SHOULD): the two speakers of a run have all of it, or no screen',
  },
  {
    place: /holdCoveredNotice/,
    change: / → code \|\| paid && qr$|code \|\| paid → code && paid$/,
    why: 'a notice of missed payments under a code or "paid" (7.23): the kit waits ten minutes once, under a QR',
  },
  {
    place: /onAnnounce/,
    change: /^hasPack → true$/,
    why: 'a language that it lacks (10.1, row 9): the kit sends only languages of the birth, as a hub does',
  },
  {
    place: /isPending/,
    change: /^state\.sounding → false$|^state\.sounding\.sound, /,
    why: 'a repeat of what sounds is acked `played` (7.5): the kit can not tell it from a sentence that was just over',
  },
]

export function whyEscaped(edit: Edit): string | undefined {
  return ESCAPES.find((kind) => fits(kind, edit))?.why
}
