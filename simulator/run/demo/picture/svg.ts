import type { Cast } from './cast.ts'
import { CELL, drawRow } from './row.ts'
import { type Frame, framesOf } from './terminal.ts'

const TITLE = 'The demo: a speaker in the terminal shows a QR, hears of its payment, and says the amount'
/** Nobody can read within this time: what is drawn shortly after each other is drawn at once. */
const SHORTEST_S = 0.05
/** A wait that is longer is cut to this. */
const LONGEST_WAIT_S = 2.5
/** How long the last screen stays before the picture begins again. */
const LAST_SCREEN_S = 4
const EDGE = 16

/** When something is seen: from, to, in seconds. */
type Interval = readonly [number, number]

/** A row of the terminal as it looks from time to time. */
interface Look {
  row: number
  drawn: string
  seen: Interval[]
}

/** The recording as one SVG that moves by CSS alone. The same recording gives the same bytes. */
export function drawPicture(cast: Cast): string {
  const frames = paced(framesOf(cast))
  const lengthS = (frames.at(-1)?.atS ?? 0) + LAST_SCREEN_S
  const groups = Map.groupBy(looksOf(frames, lengthS), ({ seen }) => JSON.stringify(seen))
  const [width, height] = [cast.width * CELL.width + 2 * EDGE, cast.height * CELL.height + 2 * EDGE]
  const keyframes: string[] = []
  const drawn = [...groups.values()].map((looks, index) => {
    const seen = looks[0]?.seen ?? []
    const rows = looks.map(
      ({ row, drawn }) => `<g transform="translate(0 ${row * CELL.height})">${drawn}</g>`,
    )
    if (isAlways(seen, lengthS)) return `<g>${rows.join('')}</g>`
    keyframes.push(`@keyframes k${index}{${steps(seen, lengthS)}}`)
    return `<g class="a" style="animation-name:k${index}">${rows.join('')}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${TITLE}">`,
    `<title>${TITLE}</title>`,
    `<style>${style(lengthS)}`,
    ...keyframes,
    '</style>',
    `<rect class="w" x="1" y="1" width="${width - 2}" height="${height - 2}" rx="12"/>`,
    `<g transform="translate(${EDGE} ${EDGE})">`,
    ...drawn,
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

/** Frames that begin at 0, neither too short nor too long. */
function paced(frames: readonly Frame[]): Frame[] {
  const found: Frame[] = []
  let atS = 0
  frames.forEach((frame, index) => {
    const waitS = frame.atS - (frames[index - 1]?.atS ?? frame.atS)
    atS += Math.min(waitS, LONGEST_WAIT_S)
    const last = found.at(-1)
    if (last && atS - last.atS < SHORTEST_S) last.rows = frame.rows
    else found.push({ atS, rows: frame.rows })
  })
  return found
}

function looksOf(frames: readonly Frame[], lengthS: number): Look[] {
  const looks = new Map<string, Look>()
  frames.forEach(({ atS, rows }, index) => {
    const untilS = frames[index + 1]?.atS ?? lengthS
    rows.forEach((cells, row) => {
      const drawn = drawRow(cells)
      if (drawn === '') return
      const look = looks.get(`${row} ${drawn}`) ?? { row, drawn, seen: [] }
      looks.set(`${row} ${drawn}`, look)
      const last = look.seen.at(-1)
      if (last?.[1] === atS) look.seen[look.seen.length - 1] = [last[0], untilS]
      else look.seen.push([atS, untilS])
    })
  })
  return [...looks.values()]
}

function isAlways(seen: readonly Interval[], lengthS: number): boolean {
  const [first] = seen
  return first !== undefined && first[0] === 0 && first[1] === lengthS
}

/** The steps of a CSS animation that shows something in these intervals. */
function steps(seen: readonly Interval[], lengthS: number): string {
  const at = (seconds: number) => `${Number(((seconds / lengthS) * 100).toFixed(2))}%`
  const hiddenFirst = seen[0]?.[0] === 0 ? '' : '0%{visibility:hidden}'
  return (
    hiddenFirst +
    seen
      .map(
        ([from, to]) =>
          `${at(from)}{visibility:visible}${to === lengthS ? '' : `${at(to)}{visibility:hidden}`}`,
      )
      .join('')
  )
}

/** Dark unless the reader's system is light. Who wants no movement sees the last screen. */
function style(lengthS: number): string {
  const dark = '--w:#0d1117;--e:#30363d;--t:#e6edf3;--g:#3fb950;--r:#ff7b72;--m:#d2a8ff'
  const light = '--w:#ffffff;--e:#d0d7de;--t:#1f2328;--g:#1a7f37;--r:#cf222e;--m:#8250df'
  const font = 'ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace'
  return [
    `svg{${dark}}@media(prefers-color-scheme:light){svg{${light}}}`,
    '.w{fill:var(--w);stroke:var(--e)}',
    `.t{font:16px ${font};fill:var(--t)}.l{fill:none;stroke:var(--t);stroke-width:1.2}.b{fill:var(--t)}`,
    // Without anti-aliasing: else hairlines run through a QR.
    '.b,.f15{shape-rendering:crispEdges}',
    '.B{font-weight:700}.D{opacity:.55}.W{fill:var(--w)}',
    '.c0{fill:#000}.c1{fill:var(--r)}.c2{fill:var(--g)}.c5{fill:var(--m)}.l.c1{fill:none;stroke:var(--r)}',
    '.l.c2{fill:none;stroke:var(--g)}.l.c5{fill:none;stroke:var(--m)}.f15{fill:#fff}',
    `.a{visibility:hidden;animation:${Number(lengthS.toFixed(2))}s step-end infinite}`,
    `@media(prefers-reduced-motion:reduce){.a{animation-play-state:paused;animation-delay:-${Number((lengthS - 1).toFixed(2))}s}}`,
  ].join('\n')
}
