import type { LinkState } from '../model/roster.ts'
import type { PaySummary, Summary } from '../report/lines.ts'
import { memoryText, timesText } from '../report/text.ts'
import { progressBar, sparkline } from './bars.ts'
import { LINK_LABELS } from './columns.ts'

export interface HeaderLine {
  text: string
  /** The style; the words carry the meaning alone. */
  tone: 'plain' | 'bad' | 'dim'
}

interface HeaderInput {
  columns: number
  summary: Summary
  startsWithinS: number
  perSecond: readonly number[]
}

/** States that are always shown; others only while a speaker has them. */
const ALWAYS: readonly LinkState[] = ['connected', 'connecting', 'offline']
const SOMETIMES: readonly LinkState[] = ['born', 'refused', 'off', 'broken', 'new']
const BAR_CELLS = 20

/** The figures above the table, one per line, the most important first. */
export function headerLines(input: HeaderInput): HeaderLine[] {
  const { summary, columns } = input
  const { pay, connectMs, rssBytes, reconnects } = summary
  const label = (text: string) => text.padEnd(columns < 80 ? 8 : 20)
  const wide = columns >= 80
  return [
    totals(summary, wide),
    ...progress(input),
    ...(pay ? [payments(pay)] : []),
    rates(input),
    ...(pay
      ? [
          plain(label(wide ? 'callback to speech' : 'speech') + timesText(pay.speechMs)),
          plain(label(wide ? 'callback to 200' : 'answer') + timesText(pay.answerMs)),
        ]
      : []),
    plain(label(wide ? 'CONNECT to welcome' : 'connect') + timesText(connectMs)),
    { text: `${memoryText(rssBytes)} of memory · ${reconnects} reconnects`, tone: 'dim' },
  ]
}

function totals({ speakers, links }: Summary, wide: boolean): HeaderLine {
  const shown = [...ALWAYS, ...SOMETIMES.filter((state) => links[state] > 0)]
  const parts = shown.map((state) => `${LINK_LABELS[state].sign} ${links[state]} ${LINK_LABELS[state].text}`)
  return plain(wide ? `${speakers} speakers  ${parts.join('  ')}` : `${speakers}: ${parts.join(' ')}`)
}

/** The progress of the current phase; nothing while the fleet simply runs. */
function progress({ summary, startsWithinS }: HeaderInput): HeaderLine[] {
  const { phase, speakers, links, pay, connectsPerS, elapsedS } = summary
  switch (phase) {
    case 'connecting': {
      // The slower of the requested rate and the actual rate.
      const atThisRateS = connectsPerS > 0 ? (speakers - links.connected) / connectsPerS : 0
      const leftS = Math.ceil(Math.max(startsWithinS, atThisRateS))
      return [bar('Connecting', links.connected, speakers, `${Math.round(connectsPerS)}/s, ${leftS} s to go`)]
    }
    case 'running': {
      const { ready = 0, waiting = 0 } = pay?.shops ?? {}
      if (waiting === 0) return []
      const left = ready === 0 ? '' : `about ${Math.ceil((waiting * elapsedS) / ready)} s to go`
      return [bar('Registering', ready, ready + waiting, left)]
    }
    case 'settling':
      if (!pay?.open) return [plain('Waiting for the last sentences; q again leaves at once.')]
      return [plain(`Waiting for ${pay.open} payments on their way; q again leaves at once.`)]
    case 'ending':
      return [plain(`Switching off: ${links.connected} are still connected; q again pulls the cables.`)]
  }
}

function bar(what: string, done: number, all: number, rest: string): HeaderLine {
  return plain(`${what} ${progressBar(all === 0 ? 0 : done / all, BAR_CELLS)} ${done}/${all}  ${rest}`)
}

function payments({
  sent,
  heardOnce,
  heardTwice,
  missed,
  lost,
  unanswered,
  open,
  shops,
}: PaySummary): HeaderLine {
  const bad = heardTwice + lost + unanswered > 0
  const parts = [
    `${sent} paid`,
    `${heardOnce} heard once`,
    `${heardTwice} twice`,
    `${missed} missed`,
    `${lost + unanswered} lost`,
    `${open} open`,
    ...(shops.failed > 0 ? [`${shops.failed} without a shop: ${shops.lastFailure}`] : []),
  ]
  return { text: `${bad ? '! ' : ''}${parts.join(' · ')}`, tone: bad ? 'bad' : 'plain' }
}

function rates({ columns, summary, perSecond }: HeaderInput): HeaderLine {
  const { announced, announcementsPerS, connectsPerS } = summary
  const text =
    announced > 0 ? `${announcementsPerS.toFixed(1)} sentences/s ` : `${connectsPerS.toFixed(1)} connects/s `
  const room = Math.max(0, columns - text.length - 2)
  return plain(text + (room === 0 ? '' : sparkline(perSecond.slice(-room))))
}

function plain(text: string): HeaderLine {
  return { text, tone: 'plain' }
}
