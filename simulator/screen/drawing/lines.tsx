import { Text } from 'ink'

/** Rows of text, one below the other. */
export function Lines({
  rows,
  dim = false,
  bold = false,
  color,
}: {
  rows: readonly string[]
  dim?: boolean
  bold?: boolean
  color?: string
}) {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
    <Text key={index} dimColor={dim} bold={bold} {...(color === undefined ? {} : { color })} wrap="truncate">
      {row === '' ? ' ' : row}
    </Text>
  ))
}
