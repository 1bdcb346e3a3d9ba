import { Text } from 'ink'
import { cellsOf } from './text.ts'

/** One key and what it does, in a word. */
export interface KeyLabel {
  key: string
  label: string
}

interface Props {
  columns: number
  /** The first matter most: what does not fit is left out, and the help has it. */
  keys: readonly KeyLabel[]
  text: string
}

const SEPARATOR = ' · '

/** The keys that do something just now, then what the embedder has to say. */
export function Footer({ columns, keys, text }: Props) {
  return (
    <Text dimColor wrap="truncate">
      {` ${footerText(keys, text, columns - 2)}`}
    </Text>
  )
}

/** As many keys as fit beside the text, whole ones. */
export function footerText(keys: readonly KeyLabel[], text: string, columns: number): string {
  const room = columns - (text === '' ? 0 : cellsOf(SEPARATOR + text))
  let shown = ''
  for (const { key, label } of keys) {
    const longer = [shown, `${key} ${label}`].filter((part) => part !== '').join(SEPARATOR)
    if (cellsOf(longer) > room) break
    shown = longer
  }
  return [shown, text].filter((part) => part !== '').join(SEPARATOR)
}
