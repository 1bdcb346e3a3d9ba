import { Text } from 'ink'
import { cellsOf, shortened } from '../drawing/text.ts'

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

/** The ways to learn the other keys, and out: these are never left out. */
const ESSENTIAL = new Set(['?', 'q', 'Esc'])

/** As many keys as fit beside the text, whole ones in their order; before an essential one the text gives way. */
export function footerText(keys: readonly KeyLabel[], text: string, columns: number): string {
  const shown = new Set(keys.filter(({ key }) => ESSENTIAL.has(key)))
  const withText = (parts: ReadonlySet<KeyLabel>) =>
    joined([...keys.filter((one) => parts.has(one)).map(keyText), text])
  for (const one of keys) {
    if (shown.has(one)) continue
    if (cellsOf(withText(new Set([...shown, one]))) > columns) break
    shown.add(one)
  }
  const whole = withText(shown)
  if (cellsOf(whole) <= columns) return whole
  const alone = joined([...shown].map(keyText))
  const room = columns - cellsOf(alone + SEPARATOR)
  return room < 1 ? alone : joined([alone, shortened(text, room)])
}

function keyText({ key, label }: KeyLabel): string {
  return `${key} ${label}`
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(SEPARATOR)
}
