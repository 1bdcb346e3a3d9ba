import { Box, Text } from 'ink'
import { FAULT_NOTES, FAULTS, type Fault } from '../../speaker/device/state/faults.ts'
import { faultWords } from '../device/indicators.ts'
import type { Area } from '../drawing/area.ts'
import { Framed } from '../drawing/framed.tsx'
import { paint, type Theme } from '../drawing/theme.ts'

const FIRST_LETTER = 'a'.charCodeAt(0)
/** Sign, letter and name. */
const NAME_COLUMNS = 17
/** One row per fault, and the frame. */
export const FAULTS_ROWS = FAULTS.length + 2
/** Below this width the explanations would be cut off. */
const COLUMNS_WITH_MEANING = 60

/** The key that switches a fault while the list is open: a, b, c … */
function letterOf(fault: Fault): string {
  return String.fromCharCode(FIRST_LETTER + FAULTS.indexOf(fault))
}

/** The fault of a key. */
export function faultOfLetter(letter: string): Fault | undefined {
  return FAULTS.find((fault) => letterOf(fault) === letter)
}

/** The list of faults, and which of them are on. */
export function FaultsMenu({ area, faults, theme }: { area: Area; faults: readonly Fault[]; theme: Theme }) {
  const count = faults.length === 0 ? 'all is well' : `${faults.length} on`
  return (
    <Framed area={area} top={{ left: <Text bold>faults</Text>, right: <Text>{count}</Text> }}>
      {FAULTS.map((fault) => (
        <Row
          key={fault}
          fault={fault}
          on={faults.includes(fault)}
          theme={theme}
          explained={area.columns >= COLUMNS_WITH_MEANING}
        />
      ))}
    </Framed>
  )
}

interface RowProps {
  fault: Fault
  on: boolean
  theme: Theme
  explained: boolean
}

function Row({ fault, on, theme, explained }: RowProps) {
  return (
    <Box flexShrink={0} height={1} overflow="hidden">
      <Box width={3} flexShrink={0}>
        <Text bold>{letterOf(fault)}</Text>
      </Box>
      <Box width={7} flexShrink={0}>
        <Text dimColor={!on}>
          <Text {...(on ? paint(theme, 'notice') : {})}>{on ? '▲' : '○'}</Text> {on ? 'on' : 'off'}
        </Text>
      </Box>
      <Box width={NAME_COLUMNS} flexShrink={0}>
        <Text bold={on}>{faultWords(fault)}</Text>
      </Box>
      <Text dimColor wrap="truncate">
        {explained ? FAULT_NOTES[fault].brief : ''}
      </Text>
    </Box>
  )
}
