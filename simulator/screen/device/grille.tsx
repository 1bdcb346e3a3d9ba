import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { grilleColumns, ringOf, stillGrille } from '../drawing/grille.ts'
import { Lines } from '../drawing/lines.tsx'
import { type StyledPart, styledLine } from '../drawing/styled.ts'
import { type Meaning, paint, type Theme } from '../drawing/theme.ts'
import { isMuted } from './indicators.ts'

/** Rings of holes that light up one after another. */
const RING_EVERY = 3

/** A hole of the grille in a moment. */
interface Hole {
  sign: string
  isLit: boolean
}

interface Props {
  speaker: SpeakerSnapshot
  theme: Theme
  beat: number
  rows: number
}

/** The round grille of the loudspeaker. While a sound plays, rings run through it from the middle. */
export function Grille({ speaker, theme, beat, rows }: Props) {
  const style = grilleStyle(speaker)
  if (style.kind === 'lines')
    return (
      <Box flexDirection="column" flexShrink={0} width={grilleColumns(rows)} height={rows}>
        <Lines rows={stillGrille(rows, style.sign)} dim={style.dim} />
      </Box>
    )
  return (
    <Box flexDirection="column" flexShrink={0} width={grilleColumns(rows)} height={rows}>
      {holesOf(rows, beat).map((holes, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <Text key={row} bold wrap="truncate">
          {styledLine(runsOf(holes), theme)}
        </Text>
      ))}
    </Box>
  )
}

/** The loudspeaker in one row: "◁)))". */
export function SpeakerSign({ speaker, theme, beat }: Omit<Props, 'rows'>) {
  const isHeard = speaker.sounding !== undefined
  const waves = isHeard ? ')'.repeat((beat % RING_EVERY) + 1) : isBroken(speaker) ? '✕' : ''
  const meaning: Meaning = isHeard ? 'good' : isBroken(speaker) ? 'notice' : 'plain'
  return (
    <Text bold={isHeard} dimColor={!speaker.power}>
      ◁<Text {...paint(theme, meaning)}>{waves.padEnd(RING_EVERY)}</Text>
    </Text>
  )
}

type GrilleStyle = { kind: 'rings' } | { kind: 'lines'; sign: string; dim: boolean }

function grilleStyle(speaker: SpeakerSnapshot): GrilleStyle {
  if (!speaker.power) return { kind: 'lines', sign: '·', dim: true }
  if (isBroken(speaker)) return { kind: 'lines', sign: '✕', dim: false }
  if (speaker.sounding) return { kind: 'rings' }
  return { kind: 'lines', sign: isMuted(speaker) ? '·' : '•', dim: false }
}

function isBroken({ faults }: SpeakerSnapshot): boolean {
  return faults.includes('broken-audio')
}

/** A grille that sounds. */
function holesOf(rows: number, beat: number): Hole[][] {
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: rows }, (_, column) => {
      const ring = ringOf(rows, row, column)
      if (ring === undefined) return { sign: ' ', isLit: false }
      const isLit = (ring - beat) % RING_EVERY === 0
      return { sign: isLit ? '●' : '•', isLit }
    }),
  )
}

/** Neighbouring holes that look the same, with the space after each. */
function runsOf(holes: readonly Hole[]): StyledPart[] {
  const runs: { text: string; meaning: Meaning }[] = []
  holes.forEach(({ sign, isLit }, index) => {
    const text = index < holes.length - 1 ? `${sign} ` : sign
    const meaning = isLit ? 'good' : 'plain'
    const last = runs.at(-1)
    if (last?.meaning === meaning) last.text += text
    else runs.push({ text, meaning })
  })
  return runs
}
