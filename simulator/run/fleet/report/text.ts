import { formatAmount } from '../../../../protocol/money/amount.ts'
import type { Failure, Report, Times } from './lines.ts'

/** A duration as text: "3.2 ms", "48 ms", "1.3 s". */
export function timeText(ms: number): string {
  if (ms >= 99_500) return `${Math.round(ms / 1000)} s`
  if (ms >= 999.5) return `${(ms / 1000).toFixed(1)} s`
  return ms >= 9.95 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

/** "p50 12 ms  p90 20 ms  p99 31 ms  max 40 ms", or a dash before the first. */
export function timesText(times: Times): string {
  if (!times) return '–'
  const { p50, p90, p99, max } = times
  return Object.entries({ p50, p90, p99, max })
    .map(([name, ms]) => `${name} ${timeText(ms)}`)
    .join('  ')
}

/** Megabytes of 1,000,000 bytes. */
export function memoryText(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`
}

/** The report as text, printed after the screen has closed. */
export function reportText(report: Report): string {
  const { speakers, elapsedS, links, mostConnected, reconnects, announced, connectMs, pay } = report
  const { awayS, highestRssBytes, expectations, problems } = report
  const lines = [
    `${speakers} speakers, ${Math.round(elapsedS)} s: ${links.connected} connected at the end, ${mostConnected} at the most, ${reconnects} reconnects, ${announced} sentences.`,
    rampText(report),
    ...conditionsText(report),
    ...(awayS > 0 ? [`The hub was away for ${awayS} s.`] : []),
    `CONNECT to welcome   ${timesText(connectMs)}`,
  ]
  if (pay)
    lines.push(
      `callback to 200      ${timesText(pay.answerMs)}`,
      `callback to socket   ${timesText(pay.socketMs)}`,
      `callback to sound    ${timesText(pay.soundMs)}  without the wait for another sentence`,
      `callback to speech   ${timesText(pay.speechMs)}`,
      `${pay.shops.ready} shops, ${pay.shops.missing} missing. ${pay.asked} payments were asked for: ${pay.sent} sent, ${pay.heldBack} held back.`,
      `${pay.sent} payments: ${pay.answered} answered, ${pay.heardOnce} heard once, ${pay.heardTwice} twice, ${pay.missed} missed, ${pay.lost} lost, ${pay.unanswered} never answered, ${pay.open} still open.`,
      ...dialectLines(pay.dialects),
    )
  if (pay && pay.bills + pay.repeats + pay.wrongChecksums > 0)
    lines.push(
      `${pay.bills} with a bill, ${pay.qrs} of them by QR (on the screen after ${timesText(pay.qrMs)}; ${pay.qrsUnseen} not within 10 s), ${pay.repeats} repeated, ${pay.wrongChecksums} more with a wrong checksum.`,
    )
  lines.push(`highest memory       ${memoryText(highestRssBytes)}`)
  const met = expectations.filter(({ ok }) => ok).map(({ says }) => `Reached: ${says}.`)
  const failed = problems.map((problem) => `Problem: ${problem}.`)
  return [...lines, ...met, ...failed, ...failuresText(report), ''].join('\n')
}

/** A line for each dialect of a fleet with boxes. */
function dialectLines(dialects: NonNullable<Report['pay']>['dialects'] = {}): string[] {
  return Object.entries(dialects).map(([name, totals]) => {
    const { sent, heardOnce, heardTwice, mayRepeat, missed, silent, late } = totals
    const known = mayRepeat > 0 ? ` (${mayRepeat} of them known to the hub)` : ''
    return `  ${name.padEnd(12)} ${sent} sent, ${heardOnce} heard once, ${heardTwice} twice${known}, ${missed} missed, ${silent} delivered without a sound, ${late} late.`
  })
}

/** So many payments are named on a terminal. */
const MOST_NAMED = 20

const OUTCOMES: Record<Failure['outcome'], string> = {
  ...{ lost: 'lost', heardTwice: 'twice', unanswered: 'no answer', silent: 'silent' },
  ...{ missed: 'missed', open: 'open' },
}

/** The payments that were not heard exactly once: code, serial, amount and why. */
export function failuresText({ failures = [], pay }: Report): string[] {
  if (!pay || failures.length === 0) return []
  const named = failures.slice(0, MOST_NAMED).map(({ outcome, ftCode, serial, amount, why }) => {
    const columns = [OUTCOMES[outcome].padEnd(9), ftCode, serial, formatAmount(amount), why]
    return `  ${columns.join('  ').trimEnd()}`
  })
  const all = pay.lost + pay.heardTwice + pay.unanswered + pay.silent + pay.missed + pay.open
  const more = all - named.length
  const rest = more > 0 ? [`  and ${more} more: --report FILE has up to 1,000 of each outcome`] : []
  return ['Not heard exactly once:', ...named, ...rest]
}

function conditionsText({ conditions }: Report): string[] {
  const parts = Object.entries(conditions).map(([name, speakers]) => `${name} ${speakers}`)
  return parts.length === 0 ? [] : [`Speakers with faults and bad networks: ${parts.join(', ')}.`]
}

function rampText({ ramp: { ended, seconds } }: Report): string {
  switch (ended) {
    case 'complete':
      return `The ramp was complete after ${seconds} s.`
    case 'stalled':
      return `The ramp ended after ${seconds} s, because it got no further.`
    default:
      return 'The run was ended before the ramp was complete.'
  }
}
