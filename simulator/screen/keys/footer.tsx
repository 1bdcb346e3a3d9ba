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

/** A text that is being typed; of a long one, its end. */
export function Typing({ columns, sign, text }: { columns: number; sign: string; text: string }) {
  const room = columns - cellsOf(` ${sign}▏  ${TYPING_KEYS}`)
  const shown = cellsOf(text) <= room ? text : lastCells(text, Math.max(1, room))
  return (
    <Text wrap="truncate">
      {` ${sign}${shown}▏  `}
      <Text dimColor>{TYPING_KEYS}</Text>
    </Text>
  )
}

const TYPING_KEYS = '↵ keep · Esc drop'

function lastCells(text: string, columns: number): string {
  const characters = [...text]
  while (cellsOf(characters.join('')) > columns) characters.shift()
  return characters.join('')
}

/** Help and exit keys, which are never omitted. */
const ESSENTIAL = new Set(['?', 'q', 'Esc'])
const HELP_KEY = '?'
/** The label of the help key beside keys that have no room. */
const MORE = 'more keys'

/**
 * As many whole keys as fit beside the text, the first ones before the later ones. The help key says when there are more.
 * The text is shortened before an essential key is omitted.
 */
export function footerText(keys: readonly KeyLabel[], text: string, columns: number): string {
  const all = joined([...keys.map(keyText), text])
  if (cellsOf(all) <= columns) return all
  const named = keys.map((one) => (one.key === HELP_KEY ? { ...one, label: MORE } : one))
  const shown = new Set(named.filter(({ key }) => ESSENTIAL.has(key)))
  const withText = (parts: ReadonlySet<KeyLabel>) =>
    joined([...named.filter((one) => parts.has(one)).map(keyText), text])
  for (const one of named) {
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
