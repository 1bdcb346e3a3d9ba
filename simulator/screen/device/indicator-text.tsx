import { Text } from 'ink'
import { paint, type Theme } from '../drawing/theme.ts'
import type { Look } from './indicators.ts'

/** A sign and its word; the sign alone is tinted, so that the word is legible on every background. */
export function LookText({ look, theme, bold = false }: { look: Look; theme: Theme; bold?: boolean }) {
  return (
    <Text bold={bold} dimColor={look.meaning === 'quiet'} wrap="truncate">
      <Text {...paint(theme, look.meaning)}>{look.sign}</Text> {look.word}
    </Text>
  )
}
