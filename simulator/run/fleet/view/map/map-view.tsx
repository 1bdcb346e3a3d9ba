import { Text } from 'ink'
import { styledLine } from '../../../../screen/drawing/styled.ts'
import type { Meaning, Theme } from '../../../../screen/drawing/theme.ts'
import type { Look, Run } from './cells.ts'

const MEANINGS: Record<Look, Meaning> = {
  missed: 'notice',
  speaking: 'good',
  silent: 'plain',
  away: 'quiet',
}

/** The map below its caption. Missed money is underlined, too: colour alone carries no meaning. */
export function MapView({ caption, rows, theme }: { caption: string; rows: readonly Run[][]; theme: Theme }) {
  const styledRun = ({ text, look, bold }: Run) => ({
    ...{ text, bold, meaning: MEANINGS[look], underline: look === 'missed' },
  })
  return (
    <>
      <Text dimColor wrap="truncate">
        {caption}
      </Text>
      {rows.map((runs, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
        <Text key={row} wrap="truncate">
          {styledLine(runs.map(styledRun), theme)}
        </Text>
      ))}
    </>
  )
}
