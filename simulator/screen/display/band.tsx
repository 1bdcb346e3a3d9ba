import { Text } from 'ink'
import { cellsOf, shortened } from '../drawing/text.ts'
import { type Meaning, paint, type Theme } from '../drawing/theme.ts'

interface Props {
  text: string
  columns: number
  theme: Theme
  meaning: Meaning
}

/**
 * A text on a band of its colour, to be seen from across a counter. The text takes the background's colour, so that it
 * is legible on light and dark ones; without colours the band remains.
 */
export function Band({ text, columns, theme, meaning }: Props) {
  const shown = shortened(text, columns)
  const left = Math.floor((columns - cellsOf(shown)) / 2)
  const right = columns - left - cellsOf(shown)
  return (
    <Text bold inverse wrap="truncate" {...paint(theme, meaning)}>
      {' '.repeat(left) + shown + ' '.repeat(right)}
    </Text>
  )
}
