/** How a cell of the map looks. What is more urgent comes first: one speaker decides for its whole cell. */
export const LOOKS = ['missed', 'speaking', 'silent', 'away'] as const
export type Look = (typeof LOOKS)[number]

/**
 * `marks`: a mark for each speaker. `dots`: a braille cell for up to eight speakers, a dot for each that is connected.
 * `bars`: a cell for any number, as high as the part of them that is connected.
 */
export type MapStyle = 'marks' | 'dots' | 'bars'

export interface MapPlan {
  style: MapStyle
  /** Speakers per cell. */
  perCell: number
  /** Character cells from one map cell to the next. */
  spread: 1 | 2
  cellsPerRow: number
  rows: number
}

/** What the map reads of the fleet. */
export interface MapSource {
  speakers: number
  isConnected(index: number): boolean
  isSpeaking(index: number): boolean
  showsMissed(index: number): boolean
}

/** Neighbouring cells that look the same. */
export interface Run {
  text: string
  look: Look
  /** The crest of a ripple. */
  bold: boolean
}

const DOTS_PER_CELL = [2, 4, 6, 8]

/** The map with the fewest speakers per cell that fits; undefined without room. */
export function planMap(speakers: number, area: { columns: number; rows: number }): MapPlan | undefined {
  const { columns, rows } = area
  if (rows < 1 || columns < 2 || speakers < 1) return undefined
  const plan = (style: MapStyle, perCell: number, spread: 1 | 2): MapPlan => {
    const cellsPerRow = Math.floor(columns / spread)
    return {
      style,
      perCell,
      spread,
      cellsPerRow,
      rows: Math.ceil(Math.ceil(speakers / perCell) / cellsPerRow),
    }
  }
  const plans = [
    plan('marks', 1, 2),
    plan('marks', 1, 1),
    ...DOTS_PER_CELL.map((perCell) => plan('dots', perCell, 1)),
    plan('bars', Math.ceil(speakers / (columns * rows)), 1),
  ]
  return plans.find((one) => one.rows <= rows)
}

const MARKS: Record<Look, string> = { missed: '▲', speaking: '●', silent: '○', away: '·' }
/** What a speaking mark goes through: a ripple that spreads. */
const RIPPLE = ['●', '◉', '◎']
/** Bits of the dots of a braille cell, row by row from the left. */
const DOT_BITS = [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80]
const BRAILLE = 0x2800
const BARS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** The rows of the map. `beat` rises with time: speaking cells change with it, each at its own moment. */
export function drawMap(source: MapSource, plan: MapPlan, beat: number): Run[][] {
  const cells = Math.ceil(source.speakers / plan.perCell)
  return Array.from({ length: plan.rows }, (_, row) => {
    const runs: Run[] = []
    const end = Math.min(cells, (row + 1) * plan.cellsPerRow)
    for (let cell = row * plan.cellsPerRow; cell < end; cell += 1) {
      const { text, look, bold } = drawCell(source, plan, cell, beat)
      const last = runs.at(-1)
      if (last && last.look === look && last.bold === bold) last.text += text.padEnd(plan.spread)
      else runs.push({ text: text.padEnd(plan.spread), look, bold })
    }
    return runs
  })
}

function drawCell(source: MapSource, { style, perCell }: MapPlan, cell: number, beat: number): Run {
  const first = cell * perCell
  const end = Math.min(source.speakers, first + perCell)
  let worst = LOOKS.length - 1
  let connected = 0
  const bits: number[] = []
  for (let index = first; index < end; index += 1) {
    worst = Math.min(worst, LOOKS.indexOf(lookOf(source, index)))
    if (!source.isConnected(index)) continue
    connected += 1
    bits.push(DOT_BITS[index - first] ?? 0)
  }
  const look = LOOKS[worst] ?? 'away'
  const phase = beat + cell
  const bold = look === 'speaking' && phase % 2 === 0
  switch (style) {
    case 'marks':
      return { text: look === 'speaking' ? (RIPPLE[phase % RIPPLE.length] ?? '●') : MARKS[look], look, bold }
    case 'dots':
      return { text: connected === 0 ? MARKS.away : brailleOf(bits), look, bold }
    case 'bars':
      return { text: connected === 0 ? MARKS.away : barOf(connected / (end - first)), look, bold }
  }
}

function brailleOf(bits: readonly number[]): string {
  return String.fromCharCode(bits.reduce((code, bit) => code | bit, BRAILLE))
}

function lookOf(source: MapSource, index: number): Look {
  if (!source.isConnected(index)) return 'away'
  if (source.showsMissed(index)) return 'missed'
  return source.isSpeaking(index) ? 'speaking' : 'silent'
}

/** Only a whole share is a whole bar. */
function barOf(share: number): string {
  return BARS[Math.floor(share * (BARS.length - 1))] ?? ''
}

/** The line above the map: what a cell stands for, and how many speakers look like what. */
export function captionOf(source: MapSource, plan: MapPlan, columns: number): string {
  const counts: Record<Look, number> = { missed: 0, speaking: 0, silent: 0, away: 0 }
  for (let index = 0; index < source.speakers; index += 1) counts[lookOf(source, index)] += 1
  const { missed, speaking, silent, away } = counts
  const sign = (look: Look) => (plan.style === 'marks' ? `${MARKS[look]} ` : '')
  const whole = plan.style === 'bars' ? BARS.at(-1) : brailleOf(DOT_BITS.slice(0, plan.perCell))
  const isWide = columns >= 100
  return [
    ...(plan.style === 'marks' ? [] : [`${whole} is ${plan.perCell} speakers`]),
    `${sign('silent')}${silent} silent`,
    `${sign('speaking')}${speaking} ${isWide && plan.style !== 'marks' ? 'speak (coloured, bold)' : 'speak'}`,
    `${sign('missed')}${missed} ${isWide ? 'show missed money' : 'missed'}${isWide && plan.style !== 'marks' ? ' (underlined)' : ''}`,
    `${sign('away')}${away} ${isWide && plan.style === 'dots' ? 'away (no dot)' : 'away'}`,
  ].join('  ')
}
