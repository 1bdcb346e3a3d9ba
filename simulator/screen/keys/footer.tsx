import { Text } from 'ink'
import { cellsOf, shortened } from '../drawing/text.ts'

/** A key and a one-word label. */
export interface KeyLabel {
  key: string
  label: string
}

interface Props {
  columns: number
  /** In order of importance: keys that do not fit are omitted; the help shows them. */
  keys: readonly KeyLabel[]
  text: string
}

const SEPARATOR = ' · '

/** The keys that work now, and the embedder's text. */
export function Footer({ columns, keys, text }: Props) {
  return (
    <Text dimColor wrap="truncate">
      {` ${footerText(keys, text, columns - 2)}`}
    </Text>
  )
}

/** Help and exit keys, which are never omitted. */
const ESSENTIAL = new Set(['?', 'q', 'Esc'])

/** As many keys as fit beside the text, in order. The text is shortened before an essential key is omitted. */
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
