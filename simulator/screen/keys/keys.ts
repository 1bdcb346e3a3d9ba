import type { Key } from 'ink'

/** The groups of keys in the help. */
export type KeyGroup = 'view' | 'speaker' | 'line' | 'faults' | 'log'

/** When a key is offered: always, with controls, or while a QR or the notice of missed payments is shown. */
type Offered = 'always' | 'controls' | 'missed' | 'qr' | 'plain qr'

interface KnownKey<A extends string, G extends KeyGroup> {
  key: string
  action: A
  group: G
  label: string
  help: string
  offered: Offered
}

/** Every key of the screen, in the order of the footer. */
export const KEYS = [
  row('?', 'help', 'view', 'always', 'help', 'show or hide this help'),
  row('q', 'quit', 'view', 'always', 'quit', 'leave'),
  row('d', 'dismiss', 'speaker', 'missed', 'dismiss', 'dismiss the notice of missed payments'),
  row('b', 'faults', 'faults', 'controls', 'break', 'switch faults on or off'),
  row('x', 'network', 'line', 'controls', 'cable', 'pull the network cable, or plug it back in'),
  row('o', 'power', 'speaker', 'controls', 'on/off', 'cut the power, or restore it'),
  row('l', 'log', 'log', 'always', 'log', 'read the log: scroll, filter, copy'),
  row('/', 'search', 'log', 'always', 'search', 'search the log'),
  row('r', 'reconnect', 'line', 'controls', 'reconnect', 'end the session and reconnect at once'),
  row('[', 'quieter', 'speaker', 'controls', 'quieter', 'volume down by 10'),
  row(']', 'louder', 'speaker', 'controls', 'louder', 'volume up by 10'),
  row('i', 'invert', 'view', 'plain qr', 'invert QR', 'invert the QR (light terminal, no colour)'),
  row('z', 'zoom', 'view', 'qr', 'QR alone', 'the QR alone, if it does not fit otherwise'),
  row('f', 'frame', 'view', 'always', 'frame', 'the raw frame of the last packet, and others'),
] as const

export type Action = (typeof KEYS)[number]['action']

function row<A extends string, G extends KeyGroup>(
  key: string,
  action: A,
  group: G,
  offered: Offered,
  label: string,
  help: string,
): KnownKey<A, G> {
  return { key, action, group, label, help, offered }
}

/** A key that the embedder adds. */
export interface ExtraKey {
  /** Its name, see `pressName`. The screen's own keys take precedence. */
  key: string
  label: string
  /** The help text, if it is longer than the label. */
  help?: string
  /** The presses that it stands for, if they are not `key`. */
  presses?: readonly string[]
}

/** Whether a press is one of the embedder's. */
export function isExtra(press: string, extraKeys: readonly ExtraKey[]): boolean {
  return extraKeys.some(({ key, presses }) => (presses ?? [key]).includes(press))
}

/** Decides which keys work now. */
export interface KeyContext {
  /** Whether there is a live speaker to control, not a recording. */
  controls: boolean
  qr: boolean
  missed: boolean
  colour: boolean
}

/** The keys that work now, in the order of the footer. */
export function offeredKeys(context: KeyContext): readonly (typeof KEYS)[number][] {
  return KEYS.filter(({ offered }) => isOffered(offered, context))
}

/** The keys of the help: those that work now, and those for a QR or a notice. */
export function helpKeys({ controls, colour }: KeyContext): readonly (typeof KEYS)[number][] {
  return offeredKeys({ controls, colour, qr: true, missed: true })
}

function isOffered(offered: Offered, { controls, qr, missed, colour }: KeyContext): boolean {
  switch (offered) {
    case 'always':
      return true
    case 'controls':
      return controls
    case 'missed':
      return controls && missed
    case 'qr':
      return qr
    case 'plain qr':
      return qr && !colour
  }
}

/** The name of a key press: a character as it is, other keys in words; undefined for keys without a use. */
export function pressName(input: string, key: Partial<Key>): string | undefined {
  if (key.ctrl) return input === 'c' ? 'ctrl+c' : undefined
  if (key.escape) return 'escape'
  if (key.return) return 'return'
  if (key.upArrow) return 'up'
  if (key.downArrow) return 'down'
  if (key.leftArrow) return 'left'
  if (key.rightArrow) return 'right'
  if (key.tab) return 'tab'
  if (key.pageUp) return 'page up'
  if (key.pageDown) return 'page down'
  if (key.home) return 'home'
  if (key.end) return 'end'
  if (key.backspace || key.delete) return 'backspace'
  return key.meta || input === '' ? undefined : input
}

/** A terminal's report, or an unknown key, after its escape character is stripped: "[I", "[25~", "[<0;1;1M". */
const REPORT = /^\[([\d;?<>=]*[A-Z~]|[\d;?<>=]+[a-z])$/
const CHARACTER_NAMES: Readonly<Record<string, string>> = { '\r': 'return', '\n': 'return', '\t': 'tab' }

/**
 * The names of the presses in one input. Over a slow connection, or from a fast typist, a terminal delivers several
 * characters at once; each is its own press.
 */
export function pressNames(input: string, key: Partial<Key>): readonly string[] {
  const characters = [...input]
  if (characters.length > 1 && pressName(input, key) === input)
    return REPORT.test(input) ? [] : characters.map((character) => CHARACTER_NAMES[character] ?? character)
  const press = pressName(input, key)
  return press === undefined ? [] : [press]
}

/** The action of a press while no overlay is open; undefined for a press without one. Ctrl+C quits like `q`. */
export function actionOf(press: string, context: KeyContext): Action | undefined {
  if (press === 'ctrl+c') return 'quit'
  return offeredKeys(context).find(({ key }) => key === press)?.action
}
