import type { Key } from 'ink'

/** What a key works on; the help shows the keys by these groups. */
export type KeyGroup = 'view' | 'speaker' | 'line' | 'faults'

/** When a key is offered: always, with controls, while a QR or the notice of missed payments is to be seen. */
type Offered = 'always' | 'controls' | 'missed' | 'qr' | 'plain qr'

interface KnownKey {
  key: string
  action: string
  group: KeyGroup
  label: string
  help: string
  offered: Offered
}

/** Every key of the screen, in the order in which the footer offers them while there is room. */
export const KEYS = [
  {
    key: '?',
    action: 'help',
    group: 'view',
    label: 'help',
    help: 'show or hide this help',
    offered: 'always',
  },
  { key: 'q', action: 'quit', group: 'view', label: 'quit', help: 'leave', offered: 'always' },
  {
    key: 'd',
    action: 'dismiss',
    group: 'speaker',
    label: 'dismiss',
    help: 'wave the notice of missed payments away',
    offered: 'missed',
  },
  {
    key: 'b',
    action: 'faults',
    group: 'faults',
    label: 'break',
    help: 'break something in the speaker, or repair it',
    offered: 'controls',
  },
  {
    key: 'x',
    action: 'network',
    group: 'line',
    label: 'cable',
    help: 'pull the network cable, or plug it back in',
    offered: 'controls',
  },
  {
    key: 'o',
    action: 'power',
    group: 'speaker',
    label: 'on/off',
    help: 'take its power, or give it back',
    offered: 'controls',
  },
  {
    key: 'r',
    action: 'reconnect',
    group: 'line',
    label: 'reconnect',
    help: 'end the session and connect anew at once',
    offered: 'controls',
  },
  {
    key: '[',
    action: 'quieter',
    group: 'speaker',
    label: 'quieter',
    help: 'volume down by 10',
    offered: 'controls',
  },
  {
    key: ']',
    action: 'louder',
    group: 'speaker',
    label: 'louder',
    help: 'volume up by 10',
    offered: 'controls',
  },
  {
    key: 'i',
    action: 'invert',
    group: 'view',
    label: 'invert QR',
    help: 'invert the QR (light terminal, no colour)',
    offered: 'plain qr',
  },
  {
    key: 'z',
    action: 'zoom',
    group: 'view',
    label: 'QR alone',
    help: 'the QR alone, where it fits no other way',
    offered: 'qr',
  },
  {
    key: 'f',
    action: 'frame',
    group: 'view',
    label: 'frame',
    help: 'the raw frame of the last packet, and others',
    offered: 'always',
  },
  {
    key: 'l',
    action: 'filter',
    group: 'view',
    label: 'log',
    help: 'the log: all, packets alone, events alone',
    offered: 'always',
  },
] as const satisfies readonly KnownKey[]

export type Action = (typeof KEYS)[number]['action']

/** A key that whoever embeds the screen has added. */
export interface ExtraKey {
  /** By its name, see `pressName`; one of the screen's own keys stays the screen's. */
  key: string
  label: string
  /** What the help says of it, where that is more than its label. */
  help?: string
}

/** What decides which keys do something just now. */
export interface KeyContext {
  /** Whether there is a speaker to act upon, and not a recording. */
  controls: boolean
  qr: boolean
  missed: boolean
  colour: boolean
}

/** The keys that do something just now, in the order of the footer. */
export function offeredKeys(context: KeyContext): readonly (typeof KEYS)[number][] {
  return KEYS.filter(({ offered }) => isOffered(offered, context))
}

/** The keys of the help: those of the moment, and those that come with a QR or a notice. */
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

/** A key press by name: a character as it is, the others in words; undefined for what means nothing here. */
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
  return key.meta || input === '' ? undefined : input
}

/** What is left of a terminal's report or of a key nobody knows when its escape is gone: "[I", "[25~", "[<0;1;1M". */
const REPORT = /^\[([\d;?<>=]*[A-Z~]|[\d;?<>=]+[a-z])$/
const CHARACTER_NAMES: Readonly<Record<string, string>> = { '\r': 'return', '\n': 'return', '\t': 'tab' }

/**
 * The presses that arrived together, by name: over a slow line, or from a fast typist, a terminal hands over
 * several characters at once, and each is a press of its own.
 */
export function pressNames(input: string, key: Partial<Key>): readonly string[] {
  const characters = [...input]
  if (characters.length > 1 && pressName(input, key) === input)
    return REPORT.test(input) ? [] : characters.map((character) => CHARACTER_NAMES[character] ?? character)
  const press = pressName(input, key)
  return press === undefined ? [] : [press]
}

/** What a press means where no overlay is open; undefined when it is none of ours. Ctrl+C quits like `q`. */
export function actionOf(press: string, context: KeyContext): Action | undefined {
  if (press === 'ctrl+c') return 'quit'
  return offeredKeys(context).find(({ key }) => key === press)?.action
}
