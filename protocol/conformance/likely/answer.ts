import type { Facts, TranscriptEntry } from '../wire/transcript.ts'
import { explainNumber } from './number.ts'
import { explainText } from './text.ts'

/** The command that an answer is about. */
export interface AskedCommand {
  t: string
  id: string
  n: number
  /** Written with spaces, escapes and another field order. */
  isRespelled: boolean
  /** One of several whose lengths differ by one byte each. */
  isSwept: boolean
  /** The sum of its `at` and `ttl`, if the case chose it for an edge. */
  until?: number | undefined
}

/** An expected packet, and what came instead. */
export interface Expectation {
  kind: string
  /** The expected fields, as values. */
  wanted: Facts
  command: AskedCommand | undefined
  /** Packets of this kind about this command since its latest sending, in order. */
  came: readonly TranscriptEntry[]
  /** The same since its first sending. */
  history: readonly TranscriptEntry[]
  /** `now` of the latest welcome, or NaN. */
  now: number
  /** What is wrong with the device's clock. */
  clock: string | undefined
  /** The command was not sent in this session, and its ack is expected in it. */
  isOfLastSession: boolean
  /** The device confirmed the command with a PUBACK. */
  isConfirmed: boolean
  /** The command was sent with the DUP flag of MQTT. */
  isMarked: boolean
}

type Rule = readonly [says: string, applies: (given: Expectation) => boolean]

/** Names the mistake behind an answer that differs from the expected one. Undefined if nobody knows. */
export function explainAnswer(given: Expectation): string | undefined {
  if (given.kind === 'puback')
    return 'no PUBACK comes for a command: does the MQTT library run while a callback works, and is the subscription at QoS 1? (1.1)'
  const last = given.came.at(-1)
  const byValue = last && (outdated(given, last.says) ?? explainValues(given.wanted, last.says))
  if (byValue !== undefined) return byValue
  const says = given.kind === 'ack' ? RULES.find(([, applies]) => applies(given))?.[0] : undefined
  // The time in the birth tells more than the answer.
  return says !== undefined && OF_TIME.includes(says) && given.clock !== undefined
    ? `the device's time, \`at\` of its birth: ${given.clock}`
    : says
}

/** Names the mistake in the first field that differs. */
export function explainValues(wanted: Facts, came: Facts): string | undefined {
  for (const [name, want] of Object.entries(wanted)) {
    const value = came[name]
    const says = differs(value, want)
    if (says !== undefined) return `\`${name}\`: ${says}`
  }
  return undefined
}

function differs(value: unknown, want: unknown): string | undefined {
  if (typeof want === 'number') return explainNumber(value, want)
  if (typeof want === 'string') return misspelled(value, want)
  const isMeant = want === true && (value === 1 || value === 'true')
  return isMeant ? `it is ${JSON.stringify(value)}: write true, without quotes (9.1)` : undefined
}

/** The words of a message (`received`, `expired`) are told from each other by the rules. */
function misspelled(value: unknown, want: string): string | undefined {
  return /^[a-z_]+$/.test(want) ? undefined : explainText(value, want)
}

/** A number of before: 0, or lower by so little. What is cut differs by more. */
const A_LITTLE = 8
const isBefore = (came: unknown, wanted: unknown) =>
  typeof wanted === 'number' && Number(came ?? 0) < wanted && (!came || wanted - Number(came) < A_LITTLE)

function outdated({ kind, wanted }: Expectation, came: Facts): string | undefined {
  if (kind === 'birth' && isBefore(came.played, wanted.played))
    return '`played` was not stored when the audio started, before the first sound (7.5, 12.1)'
  if (kind === 'birth' && wanted.played !== undefined && isBefore(wanted.played, came.played))
    return '`played` is higher: an announcement was spoken that waited at the birth before, or that came before the welcome. Empty the queue with each birth (7.20), and obey nothing before the welcome (7.14)'
  if (kind === 'birth' && wanted.settings !== undefined && isBefore(wanted.settings, came.settings))
    return '`settings` is higher: a document was stored that came before the welcome. Obey nothing before it (7.14)'
  if (kind === 'birth' && isBefore(came.settings, wanted.settings))
    return '`settings` is not the version of the last document: store it before the ack (8.5, 12.1)'
  if (kind === 'settings' && isBefore(came.ver, wanted.ver))
    return 'the report has an older version: report after the document is applied (8.3)'
  return undefined
}

const stages = ({ came }: Expectation) => came.map(({ says }) => says.st)
const isFresh = ({ says }: TranscriptEntry) => says.dup !== true
const isJustAfter = (one: TranscriptEntry, next: TranscriptEntry) =>
  next.seq > one.seq && next.atMs - one.atMs < AT_ONCE_MS
const isRefusedAsExpired = ({ wanted, came }: Expectation) =>
  wanted.st !== 'failed' && came.some(({ says }) => says.rc === 'expired')
/** Acks so close to each other that no sound fits between them. */
const AT_ONCE_MS = 100

const REFUSED =
  'a command that is still valid is refused: is `ttl`, or the `now` of the welcome, taken for milliseconds? Both are in seconds (11.1, 11.3)'
const OBEYED =
  'a command past `at` + `ttl` is obeyed: is the `now` of the welcome taken for milliseconds, so that the clock is in 1970, or is nothing compared? (7.7, 11.1)'
const OF_TIME = [REFUSED, OBEYED]

const RULES: readonly Rule[] = [
  [
    'frames of other lengths are acked: the SHA-256 pads this length wrongly. The frames of vectors/frame.json have all lengths modulo 64 (5.2)',
    ({ command, came }) => command?.isSwept === true && came.length === 0,
  ],
  [
    '`played` is acked together with `received`, or when the sound starts: ack it when the sound has ended (7.15)',
    ({ command, history }) => {
      if (command?.t !== 'announce') return false
      const received = history.find((one) => one.says.st === 'received' && isFresh(one))
      const played = history.find(({ says }) => says.st === 'played')
      return !!received && !!played && isFresh(played) && isJustAfter(received, played)
    },
  ],
  [
    '`played` is acked without `received`, or before it: ack `received` first (7.15)',
    (given) =>
      given.wanted.st === 'received' &&
      given.wanted.dup !== true &&
      ['played', 'shown'].includes(String(stages(given)[0])),
  ],
  [
    'the repeat is carried out again: keep the n of the last one, and compare (7.5)',
    ({ wanted, came }) =>
      wanted.dup === true &&
      came.filter(isFresh).some(({ says }) => says.st === 'received') &&
      wanted.st !== 'received',
  ],
  [
    'a repeat is acked without `dup`: add "dup":true (7.4)',
    ({ wanted, came }) =>
      wanted.dup === true && came.some((one) => one.says.st === wanted.st && isFresh(one)),
  ],
  [
    'a repeat is not acked: answer it with the stage that was reached, and `dup`, because the first ack may be lost (7.5)',
    ({ wanted, came }) => wanted.dup === true && came.length === 0,
  ],
  [
    'a new command is taken for a repeat: compare all 32 bits of `n`, unsigned (6.1), keep them in `played`, and keep the numbers of announcements, screen commands and identify apart (6.4)',
    ({ wanted, history }) => wanted.dup !== true && history[0]?.says.dup === true,
  ],
  [
    'the sum of `at` and `ttl` wraps around at 32 bits: add them in 64 bits, or stop at 4,294,967,295 (11.3)',
    (given) => isRefusedAsExpired(given) && (given.command?.until ?? 0) > 0xffff_ffff,
  ],
  [
    'a command is refused in its last second: it is past when the time is above `at` + `ttl`, so compare with > and not with >= (11.3)',
    (given) => isRefusedAsExpired(given) && given.command?.until === given.now,
  ],
  [REFUSED, isRefusedAsExpired],
  [OBEYED, ({ wanted, came }) => wanted.rc === 'expired' && came.some(({ says }) => says.st !== 'failed')],
  [
    '`rc` is left out: say why the command failed (7.4)',
    ({ wanted, came }) =>
      wanted.rc !== undefined && came.some(({ says }) => says.st === 'failed' && says.rc === undefined),
  ],
  [
    'an escape is not decoded, or the JSON is searched and not parsed: decode `\\u` with its four digits and `\\/` in every text, also in `t` and `id` (9.3)',
    ({ command, wanted, came }) =>
      command?.isRespelled === true &&
      (came.length === 0 || came.some(({ says }) => says.st === 'failed')) &&
      wanted.st !== 'failed',
  ],
  [
    'a body that violates its schema is obeyed: check the JSON type of each field; an amount is a text of digits (7.8)',
    ({ wanted, came }) => wanted.rc === 'unsupported' && came.some(({ says }) => says.st !== 'failed'),
  ],
  [
    'a command of this body is refused: ignore unknown fields (5.4), and read `t` and the body as the tables of section 9 say',
    ({ wanted, came }) => wanted.st !== 'failed' && came.some(({ says }) => says.rc === 'unsupported'),
  ],
  [
    'the ack had no PUBACK when the connection broke, and is not sent again: send it after the first welcome of the next session (7.4, 7.24)',
    ({ wanted, came, isOfLastSession }) => isOfLastSession && wanted.dup !== true && came.length > 0,
  ],
  [
    'something still covers the notice: a code or a QR stays on the screen after its `exp`, or after it was cleared, locked or left without a registration (6.5, 6.7, 7.13). Or nobody acks the notice when the screen becomes free (7.23)',
    ({ command, wanted, came }) =>
      command?.t === 'missed' && wanted.st === 'shown' && came.length > 0 && came.every(isFresh),
  ],
  [
    'the flag DUP says only that a copy may have come before: drop no packet because of its DUP flag, and tell repeats by `n` (7.5; MQTT 3.1.1, 3.3.1.1)',
    ({ came, isMarked }) => came.length === 0 && isMarked,
  ],
  [
    'the command came (PUBACK) and has no ack: is its frame taken for forged, or its JSON for broken? (7.4)',
    ({ came, isConfirmed }) => came.length === 0 && isConfirmed,
  ],
]
