import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { grilleColumns } from '../drawing/grille.ts'
import type { Theme } from '../drawing/theme.ts'
import type { PanelPlan } from '../layout/plans.ts'
import { Grille, SpeakerSign } from './grille.tsx'
import { IndicatorText } from './indicator-text.tsx'
import { countersText, faultsIndicator, statusLines, volumeIndicator } from './indicators.ts'
import { Sentence } from './sentence.tsx'

interface PanelProps {
  speaker: SpeakerSnapshot
  theme: Theme
  canAct: boolean
  beat: number
  plan: PanelPlan
  columns: number
}

/** Rows below the sentence: volume and counters; faults. */
const ROWS_BELOW = 2
const SIGN_COLUMNS = 5
/** Between the grille and the sentence. */
const GAP = 3

/** The part below the display: grille, sentence, volume, counters and faults. */
export function Panel(props: PanelProps) {
  const { plan } = props
  switch (plan.form) {
    case 'grille':
      return <GrillePanel {...props} rows={plan.grilleRows} />
    case 'lines':
      return <LinesPanel {...props} />
    case 'sound':
      return <SoundRow {...props} />
  }
}

function GrillePanel(props: PanelProps & { rows: number }) {
  const { speaker, theme, canAct, beat, plan, columns, rows } = props
  const room = { columns: columns - grilleColumns(rows) - GAP - 1, rows }
  return (
    <Box flexDirection="column" height={plan.rows} flexShrink={0} overflow="hidden">
      <Box height={rows} columnGap={GAP} paddingLeft={1} flexShrink={0}>
        <Grille speaker={speaker} theme={theme} beat={beat} rows={rows} />
        <Sentence speaker={speaker} canAct={canAct} room={room} />
      </Box>
      <Box flexGrow={1} />
      <Below speaker={speaker} theme={theme} />
    </Box>
  )
}

function LinesPanel({ speaker, theme, canAct, beat, plan, columns }: PanelProps) {
  const room = { columns: columns - SIGN_COLUMNS, rows: plan.rows - ROWS_BELOW }
  return (
    <Box flexDirection="column" height={plan.rows} flexShrink={0} overflow="hidden">
      <Box height={room.rows} flexShrink={0}>
        <Box width={SIGN_COLUMNS} flexShrink={0}>
          <SpeakerSign speaker={speaker} theme={theme} beat={beat} />
        </Box>
        <Sentence speaker={speaker} canAct={canAct} room={room} />
      </Box>
      <Below speaker={speaker} theme={theme} />
    </Box>
  )
}

function Below({ speaker, theme }: { speaker: SpeakerSnapshot; theme: Theme }) {
  return (
    <>
      <Box height={1} justifyContent="space-between" columnGap={1} overflow="hidden">
        <Box flexShrink={0}>
          <IndicatorText indicator={volumeIndicator(speaker)} theme={theme} />
        </Box>
        <Text wrap="truncate">{countersText(speaker)}</Text>
      </Box>
      <Faults speaker={speaker} theme={theme} />
    </>
  )
}

function Faults({ speaker, theme }: { speaker: SpeakerSnapshot; theme: Theme }) {
  const indicator = faultsIndicator(speaker.faults)
  return (
    <Box height={1} overflow="hidden">
      {indicator ? <IndicatorText indicator={indicator} theme={theme} bold /> : undefined}
    </Box>
  )
}

/** The panel in one row: the sound, or else the link's problem, the faults, or the volume. */
function SoundRow(props: PanelProps) {
  return (
    <Box height={1} flexShrink={0} overflow="hidden">
      <Box width={SIGN_COLUMNS} flexShrink={0}>
        <SpeakerSign speaker={props.speaker} theme={props.theme} beat={props.beat} />
      </Box>
      <MostUrgent {...props} />
    </Box>
  )
}

function MostUrgent({ speaker, theme, canAct, columns }: PanelProps) {
  if (speaker.sounding || statusLines(speaker, canAct).length > 0)
    return <Sentence speaker={speaker} canAct={canAct} room={{ columns: columns - SIGN_COLUMNS, rows: 1 }} />
  const faults = faultsIndicator(speaker.faults)
  if (faults) return <IndicatorText indicator={faults} theme={theme} bold />
  const volume = volumeIndicator(speaker)
  return (
    <IndicatorText
      indicator={{ ...volume, word: `${volume.word} · ${countersText(speaker)}` }}
      theme={theme}
    />
  )
}
