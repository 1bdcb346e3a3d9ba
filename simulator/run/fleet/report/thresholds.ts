import { guess } from '../../../../protocol/text/nearest.ts'
import { parseDuration } from '../../../platform/duration.ts'
import { figureIn, figuresOfLine } from './figure-table.ts'
import { type Reached, reachedLine } from './lines.ts'

/** What the report must say for exit code 0. */
export interface Threshold {
  /** As the report names it: `connected` of `--expect-connected`, or the whole text of `--expect`. */
  expect: string
  figure: string
  operator: Operator
  /** In the unit of the figure, or in percent. */
  bound: number
  /** Whether the bound is a percentage: of the figure that BASES names. */
  isShare: boolean
}

/** One threshold and what became of it. */
export interface Judged {
  expect: string
  /** Speakers, shops, payments, percent, milliseconds. */
  expected: number
  /** Null: nothing was measured. */
  reached: number | null
  ok: boolean
  /** The same as a sentence without its full stop. */
  says: string
}

const OPERATORS = {
  '<=': (value: number, bound: number) => value <= bound,
  '>=': (value: number, bound: number) => value >= bound,
  '==': (value: number, bound: number) => value === bound,
  '<': (value: number, bound: number) => value < bound,
  '>': (value: number, bound: number) => value > bound,
}
type Operator = keyof typeof OPERATORS

const isOperator = (text: string): text is Operator => text in OPERATORS

/** The figure of which each of these figures is a part. */
const BASES: Readonly<Record<'speakers' | 'asked' | 'sent', RegExp>> = {
  speakers: /^(links\..*|mostConnected|shops\.\w+)$/,
  asked: /^(sent|heldBack|withoutShop)$/,
  sent: /^(answered|heard|heardOnce|heardTwice|mayRepeat|missed|silent|lost|late|unanswered|open)$/,
}

/** The options that stand for a threshold on one figure. */
const SHORT = {
  connected: { figure: 'links.connected', operator: '>=', isShare: false },
  shops: { figure: 'shops.ready', operator: '>=', isShare: false },
  rate: { figure: 'sent', operator: '>=', isShare: true },
  p99: { figure: 'speechMs.p99', operator: '<=', isShare: false },
  heard: { figure: 'heard', operator: '>=', isShare: true },
  missed: { figure: 'missed', operator: '<=', isShare: true },
} as const
export type ShortName = keyof typeof SHORT

export const SHORT_NAMES = [
  'connected',
  'shops',
  'rate',
  'heard',
  'missed',
  'p99',
] as const satisfies readonly ShortName[]

/** The least part of the payments, in percent, that is made unless the run expects another one. */
export const LEAST_RATE = 95

const FIGURES = new Map(figuresOfLine(reachedLine).map((figure) => [figure.name, figure]))
const EXPRESSION = /^\s*([\w.]+)\s*(<=|>=|==|<|>)\s*(\d+(?:\.\d+)?)\s*(%|ms|s|m)?\s*$/

/** The threshold of an option such as `--expect-connected`. */
export function shortThreshold(expect: ShortName, bound: number): Threshold {
  return { expect, bound, ...SHORT[expect] }
}

/** Parses `heard >= 99%` or `speechMs.p99 < 500`. A text is what is wrong with it. */
export function parseThreshold(text: string): Threshold | string {
  const [, figure = '', operator = '', number = '', unit = ''] = EXPRESSION.exec(text) ?? []
  if (!isOperator(operator))
    return 'Give a figure and its limit, such as "heard >= 99%" or "speechMs.p99 < 500".'
  if (!FIGURES.has(figure)) return `There is no figure ${figure}; ${instead(figure)}`
  const isShare = unit === '%'
  if (isShare && baseOf(figure) === undefined) return `${figure} is no part of anything: give no percentage.`
  const isTime = unit !== '' && !isShare
  if (isTime && unitOf(figure) === '') return `${figure} is not a time: give a number.`
  const ms = isTime ? (parseDuration(number + unit) ?? 0) : Number(number)
  const bound = isTime && unitOf(figure) === ' s' ? ms / 1000 : ms
  return { expect: text.trim(), figure, operator, bound, isShare }
}

/** Whether only a fleet that pays has the figure. */
export function isPaid({ figure }: Threshold): boolean {
  return FIGURES.get(figure)?.path[0] === 'pay'
}

/**
 * The thresholds of a run: those that were given, and for other figures what every run must reach. Who says how many
 * payments must be heard has said how many may be missed.
 */
export function withDefaults(given: readonly Threshold[], speakers: number, pays: boolean): Threshold[] {
  const of = (figure: string) => given.filter((one) => one.figure === figure)
  const usual = [
    shortThreshold('connected', speakers),
    ...(pays ? [shortThreshold('shops', speakers), shortThreshold('rate', LEAST_RATE)] : []),
    ...(pays && of('heard').length === 0 ? [shortThreshold('missed', 0)] : []),
  ]
  const figures = usual.map(({ figure }) => figure)
  return [
    ...usual.flatMap((one) => (of(one.figure).length === 0 ? [one] : of(one.figure))),
    ...given.filter(({ figure }) => !figures.includes(figure)),
  ]
}

/** Compares what a run has reached with its thresholds. */
export function judge(thresholds: readonly Threshold[], reached: Reached): Judged[] {
  return thresholds.map((threshold) => {
    const { expect, figure, operator, bound, isShare } = threshold
    const value = read(reached, figure)
    const of = isShare ? read(reached, baseOf(figure) ?? '') : undefined
    // Of no payments, none was made.
    const exact = of === undefined ? value : of === 0 ? 0 : (100 * (value ?? 0)) / of
    const shown = of === 0 ? undefined : rounded(exact, operator)
    const ok = exact !== undefined && OPERATORS[operator](exact, bound)
    const says = `${factOf(threshold, reached, shown)}; ${wants(threshold)}`
    return { expect, expected: bound, reached: shown ?? null, ok, says }
  })
}

function read(reached: Reached, name: string): number | undefined {
  const figure = FIGURES.get(name)
  return figure && figureIn(reached, figure)
}

/** To tenths, so that 94.96 % does not read as 95 %, nor 0.04 % as none. */
function rounded(value: number | undefined, operator: Operator): number | undefined {
  if (value === undefined) return undefined
  return (operator.startsWith('>') ? Math.floor(10 * value) : Math.ceil(10 * value)) / 10
}

function factOf({ figure, operator }: Threshold, reached: Reached, shown: number | undefined): string {
  const percentText = (part: number, of: number) =>
    of === 0 ? '' : ` (${rounded((100 * part) / of, operator)} %)`
  const { speakers, links, mostConnected, pay } = reached
  if (figure === 'links.connected')
    return `${links.connected} of ${speakers} speakers were connected at the end, ${mostConnected} at the most`
  if (pay && figure === 'shops.ready') {
    const { ready, missing, failed, lastFailure } = pay.shops
    const refused = failed > 0 ? `, ${failed} were not registered (${lastFailure})` : ''
    return `${ready} of ${speakers} shops were ready, ${missing} were missing${refused}`
  }
  if (pay && figure === 'sent') {
    const { asked, sent, heldBack, withoutShop } = pay
    if (asked === 0) return 'no payment came due'
    return `${sent} of ${asked} payments were made${percentText(sent, asked)}, ${heldBack} were held back, ${withoutShop} of them without a shop`
  }
  if (pay && (figure === 'missed' || figure === 'heard'))
    return `${pay[figure]} of ${pay.sent} payments were ${figure}${percentText(pay[figure], pay.sent)}`
  if (figure === 'speechMs.p99')
    return shown === undefined
      ? 'no payment was heard'
      : `callback to speech took ${shown} ms or less for 99 of 100 payments`
  return shown === undefined
    ? `${figure} was not measured`
    : `${figure} was ${read(reached, figure)}${unitOf(figure)}`
}

function wants({ expect, figure, operator, bound, isShare }: Threshold): string {
  if (!(expect in SHORT)) return `--expect is ${expect}`
  return `--expect-${expect} is ${bound}${isShare ? ' %' : unitOf(figure)} or ${operator === '>=' ? 'more' : 'less'}`
}

/** The unit of a figure that is a time. */
function unitOf(figure: string): '' | ' ms' | ' s' {
  if (/Ms\.(?!count)/.test(figure)) return ' ms'
  return /(S|\.seconds)$/.test(figure) ? ' s' : ''
}

function baseOf(figure: string): string | undefined {
  return Object.entries(BASES).find(([, parts]) => parts.test(figure))?.[0]
}

function instead(figure: string): string {
  const meant = guess(figure, FIGURES.keys())
  return meant === undefined ? `the figures are ${[...FIGURES.keys()].join(', ')}.` : `did you mean ${meant}?`
}
