import { progressBar, sparkline } from '../../../../screen/drawing/bars.ts'
import { clockText } from '../../../../screen/drawing/clock-text.ts'
import type { LinkState } from '../../model/roster.ts'
import type { PaySummary, Summary, Times } from '../../report/lines.ts'
import { memoryText, timesText, timeText } from '../../report/text.ts'
import { LINK_LABELS } from './link-labels.ts'

export interface HeaderLine {
  text: string
  /** The style; the words carry the meaning alone. */
  tone: 'plain' | 'bad' | 'dim'
}

export interface HeaderInput {
  columns: number
  summary: Summary
  startsWithinS: number
  /** Seconds since the ramp last got further, and after how many it ends. */
  ramp: { stalledS: number; patienceS: number }
  /** Seconds that the run lasts after the ramp; undefined: it has no such end. */
  durationS: number | undefined
  perSecond: readonly number[]
}

/** States that are always shown; others only while a speaker has them. */
const ALWAYS: readonly LinkState[] = ['connected', 'connecting', 'offline']
const SOMETIMES: readonly LinkState[] = ['born', 'refused', 'off', 'broken', 'new']
const BAR_CELLS = 20
/** Below this width lines are short. */
const WIDE = 75
/** A ramp that has not got further for so long has no time to go. */
const STANDS_AFTER_S = 5

/** The number of speakers and their links. */
export function totalsText({ speakers, links }: Summary, columns: number): string {
  const shown = [...ALWAYS, ...SOMETIMES.filter((state) => links[state] > 0)]
  const parts = shown.map((state) => `${LINK_LABELS[state].sign} ${links[state]} ${LINK_LABELS[state].text}`)
  return columns >= WIDE ? `${speakers} speakers  ${parts.join('  ')}` : `${speakers}: ${parts.join(' ')}`
}

/** The figures of the run in lines of `columns`, the most important first. */
export function headerLines(input: HeaderInput): HeaderLine[] {
  const { summary, columns } = input
  const { pay, connectMs, rssBytes, reconnects } = summary
  const wide = columns >= WIDE
  const times = (short: string, long: string, of: Times) =>
    plain(wide ? `${long.padEnd(20)}${timesText(of)}` : `${short.padEnd(8)}${shortTimes(of)}`)
  return [
    plain(progressText(input) + loadText(summary)),
    ...(pay ? paymentLines(summary, pay) : []),
    ...(pay ? [times('speech', 'callback to speech', pay.speechMs)] : []),
    rates(input),
    ...(pay ? [times('answer', 'callback to 200', pay.answerMs)] : []),
    ...(pay ? [times('socket', 'callback to socket', pay.socketMs)] : []),
    ...(pay ? [times('sound', 'sound, not queued', pay.soundMs)] : []),
    times('connect', 'CONNECT to welcome', connectMs),
    { text: `${memoryText(rssBytes)} of memory · ${reconnects} reconnects`, tone: 'dim' },
  ]
}

/** What the run does, and how long it still takes when that can be known. While the hub is away nothing counts down. */
function progressText(input: HeaderInput): string {
  const { summary, durationS, columns } = input
  const { phase, links, pay, elapsedS, ramp, away } = summary
  switch (phase) {
    case 'connecting':
      return rampText(input)
    case 'running': {
      const runsS = elapsedS - (ramp.seconds ?? 0)
      if (durationS === undefined) return `Running ${clockText(runsS)}`
      const of = `Running ${clockText(runsS)} of ${clockText(durationS)}`
      return away ? of : `${of}, ${clockText(Math.max(0, Math.ceil(durationS - runsS)))} to go`
    }
    case 'settling':
      if (!pay?.open) return short(columns, 'Waiting for the last sentences', '; q again leaves at once')
      return short(columns, `Waiting for ${pay.open} payments`, ' on their way; q again leaves at once')
    case 'ending':
      return short(columns, `Switching off: ${links.connected} connected`, '; q again pulls the cables')
  }
}

/** The rate that is asked for, and the stage of the load. */
function loadText({ phase, pay, stage, paymentsPerS }: Summary): string {
  if (!pay || phase !== 'running') return ''
  const rate = paymentsPerS === 0 ? 'no payments' : `${paymentsPerS} payments/s`
  return ` · ${rate}${stage ? ` · ${stage.name} ${stage.number}/${stage.of}` : ''}`
}

function rampText({ columns, summary, startsWithinS, ramp }: HeaderInput): string {
  const { speakers, links, pay, connectsPerS, elapsedS, away } = summary
  const bar = (what: string, done: number, all: number, rest: string) => {
    const drawn = columns >= WIDE ? `${progressBar(all === 0 ? 0 : done / all, BAR_CELLS)} ` : ''
    return `${what} ${drawn}${done}/${all}, ${rest}`
  }
  const stands = away
    ? 'waits for the hub'
    : ramp.stalledS >= STANDS_AFTER_S && startsWithinS === 0
      ? `no progress for ${Math.floor(ramp.stalledS)} of ${Math.round(ramp.patienceS)} s`
      : undefined
  const { ready = 0, failed = 0 } = pay?.shops ?? {}
  if (links.connected < speakers || !pay) {
    const leftS = connectsPerS > 0 ? (speakers - links.connected) / connectsPerS : undefined
    // The slower of the requested rate and the actual rate.
    const toGo = leftS === undefined ? '' : `, ${Math.ceil(Math.max(startsWithinS, leftS))} s to go`
    const rest = stands ?? `${Math.round(connectsPerS)}/s${toGo}`
    return bar('Connecting', links.connected, speakers, rest)
  }
  const left =
    ready === 0 ? 'begins' : `about ${Math.ceil(((speakers - ready - failed) * elapsedS) / ready)} s to go`
  return bar('Registering', ready, speakers - failed, stands ?? left)
}

function paymentLines({ ramp }: Summary, pay: PaySummary): HeaderLine[] {
  const { sent, asked, heldBack, heardOnce, heardTwice, missed, open, unanswered, shops } = pay
  const isShort = ramp.ended !== null && shops.missing > 0
  const made = [
    `${sent} of ${asked} paid`,
    ...(heldBack > 0 ? [`${heldBack} held back`] : []),
    ...(isShort ? [`${shops.missing} shops missing`] : []),
    ...(shops.failed > 0 ? [`${shops.failed} not registered: ${shops.lastFailure}`] : []),
  ]
  const heard = [
    `${heardOnce + heardTwice} heard`,
    `${missed} missed`,
    `${open} open`,
    ...(unanswered > 0 ? [`${unanswered} never answered`] : []),
  ]
  const isBad = heldBack > 0 || shops.failed > 0 || isShort
  return [
    { text: `${isBad ? '! ' : ''}${made.join(' · ')}`, tone: isBad ? 'bad' : 'plain' },
    { text: `${unanswered > 0 ? '! ' : ''}${heard.join(' · ')}`, tone: unanswered > 0 ? 'bad' : 'plain' },
  ]
}

function rates({ columns, summary, perSecond }: HeaderInput): HeaderLine {
  const { announced, announcementsPerS, connectsPerS } = summary
  const text =
    announced > 0 ? `${announcementsPerS.toFixed(1)} sentences/s ` : `${connectsPerS.toFixed(1)} connects/s `
  const room = Math.max(0, columns - text.length - 2)
  return plain(text + (room === 0 ? '' : sparkline(perSecond.slice(-room))))
}

function shortTimes(times: Times): string {
  return times ? `p50 ${timeText(times.p50)}  p99 ${timeText(times.p99)}` : '–'
}

/** The second part of a text only where there is room for it. */
function short(columns: number, text: string, rest: string): string {
  return text.length + rest.length <= columns ? text + rest : text
}

function plain(text: string): HeaderLine {
  return { text, tone: 'plain' }
}
