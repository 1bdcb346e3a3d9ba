import { Box } from 'ink'
import { Lines } from '../drawing/lines.tsx'
import { type Meaning, paint, type Theme } from '../drawing/theme.ts'

interface LargeDigitsProps {
  rows: readonly string[]
  /** Empty rows above and below. */
  gaps: { above: boolean; below: boolean }
  theme: Theme
  /** Shapes of this size may have a colour: they are legible on every background. */
  meaning?: Meaning
}

/** Large digits, with an empty row above and below when there is room. */
export function LargeDigits({ rows, gaps, theme, meaning = 'plain' }: LargeDigitsProps) {
  return (
    <Box
      flexDirection="column"
      marginTop={gaps.above ? 1 : 0}
      marginBottom={gaps.below ? 1 : 0}
      flexShrink={0}
    >
      <Lines rows={rows} {...paint(theme, meaning)} />
    </Box>
  )
}
