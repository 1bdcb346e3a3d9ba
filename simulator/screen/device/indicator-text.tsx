import { Text } from 'ink'
import { paint, type Theme } from '../drawing/theme.ts'
import type { Indicator } from './indicators.ts'

/** A sign and its word. Only the sign has a colour, so that the word is legible on every background. */
export function IndicatorText({
  indicator,
  theme,
  bold = false,
}: {
  indicator: Indicator
  theme: Theme
  bold?: boolean
}) {
  return (
    <Text bold={bold} dimColor={indicator.meaning === 'quiet'} wrap="truncate">
      <Text {...paint(theme, indicator.meaning)}>{indicator.sign}</Text> {indicator.word}
    </Text>
  )
}
