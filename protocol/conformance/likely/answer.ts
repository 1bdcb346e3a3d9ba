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
}

/** An expected packet, and what came instead. */
export interface Expectation {
  kind: string
  /** The expected fields, as values. */
  wanted: Facts
  command: AskedCommand | undefined
  /** Packets of this kind about this command, in order. */
  came: readonly TranscriptEntry[]
  /** The device confirmed the command with a PUBACK. */
  isConfirmed: boolean
}

type Rule = readonly [says: string, applies: (given: Expectation) => boolean]

/** Names the mistake behind an answer that differs from the expected one. Undefined if nobody knows. */
export function explainAnswer(given: Expectation): string | undefined {
  if (given.kind === 'puback')
    return 'no PUBACK comes for a command: does the MQTT library run while a callback works, and is the subscription at QoS 1? (1.1)'
  const last = given.came.at(-1)
  const byValue = last && explainValues(given.wanted, last.says)
  if (byValue !== undefined) return byValue
  if (given.kind === 'birth') return last && keptFault(given.wanted, last.says)
  return given.kind === 'ack' ? RULES.find(([, applies]) => applies(given))?.[0] : undefined
}

/** Names the mistake in the first field that differs. */
export function explainValues(wanted: Facts, came: Facts): string | undefined {
  for (const [name, want] of Object.entries(wanted)) {
    const value = came[name]
    const says =
      typeof want === 'number'
        ? explainNumber(value, want)
        : typeof want === 'string'
          ? misspelled(value, want)
          : undefined
    if (says !== undefined) return `\`${name}\`: ${says}`
  }
  return undefined
}

/** The words of a message (`received`, `expired`) are told from each other by the rules. */
function misspelled(value: unknown, want: string): string | undefined {
  return typeof value === 'string' && /^[a-z_]+$/.test(value) ? undefined : explainText(value, want)
}

function keptFault({ played, settings }: Facts, came: Facts): string | undefined {
  if (typeof played === 'number' && Number(came.played ?? 0) < played)
    return '`played` was not stored when the audio started, before the first sound (7.5, 12.1)'
  if (typeof settings === 'number' && Number(came.settings ?? 0) < settings)
    return '`settings` is not the version of the last document: store it before the ack (8.5, 12.1)'
  return undefined
}

const stages = ({ came }: Expectation) => came.map(({ says }) => says.st)
const isFresh = ({ says }: TranscriptEntry) => says.dup !== true
/** Acks so close to each other that no sound fits between them. */
const AT_ONCE_MS = 100

const RULES: readonly Rule[] = [
  [
    '`played` is acked together with `received`, or when the sound starts: ack it when the sound has ended (7.15)',
    ({ came }) => {
      const received = came.find((one) => one.says.st === 'received' && isFresh(one))
      const played = came.find(({ says }) => says.st === 'played')
      return !!received && !!played && isFresh(played) && played.atMs - received.atMs < AT_ONCE_MS
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
    'a command that is still valid is refused: is `ttl`, or the `now` of the welcome, taken for milliseconds? Both are in seconds (11.1, 11.3)',
    ({ wanted, came }) => wanted.st !== 'failed' && came.some(({ says }) => says.rc === 'expired'),
  ],
  [
    'a command past `at` + `ttl` is obeyed: is the `now` of the welcome taken for milliseconds, so that the clock is in 1970, or is nothing compared? (7.7, 11.1)',
    ({ wanted, came }) => wanted.rc === 'expired' && came.some(({ says }) => says.st !== 'failed'),
  ],
  [
    '`rc` is left out: say why the command failed (7.4)',
    ({ wanted, came }) =>
      wanted.rc !== undefined && came.some(({ says }) => says.st === 'failed' && says.rc === undefined),
  ],
  [
    'an escape is not decoded, or the JSON is searched and not parsed: decode \\uXXXX and \\/ in every text, also in `t` and `id` (9.3)',
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
    'the command came (PUBACK) and has no ack: is its frame taken for forged, or its JSON for broken? (7.4)',
    ({ came, isConfirmed }) => came.length === 0 && isConfirmed,
  ],
]
