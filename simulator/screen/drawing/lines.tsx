import { Text } from 'ink'

/** Rows of text, one below the other. */
export function Lines({
  rows,
  dim = false,
  bold = false,
}: {
  rows: readonly string[]
  dim?: boolean
  bold?: boolean
}) {
  return rows.map((row, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
    <Text key={index} dimColor={dim} bold={bold} wrap="truncate">
      {row === '' ? ' ' : row}
    </Text>
  ))
}
