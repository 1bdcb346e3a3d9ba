import type { Key } from 'ink'

/** Every key of the screen, in the order of the footer. */
export const KEYS = [
  { key: 'q', action: 'quit', label: 'quit', help: 'switch the speaker off, with a goodbye to the hub' },
  { key: 'r', action: 'reconnect', label: 'reconnect', help: 'end the session and connect anew at once' },
  { key: 'x', action: 'network', label: 'network', help: 'pull the network cable, or plug it back in' },
  { key: 'd', action: 'dismiss', label: 'dismiss', help: 'wave the notice of missed payments away' },
  { key: '?', action: 'help', label: 'help', help: 'show or hide these lines' },
] as const

export type Action = (typeof KEYS)[number]['action']

/** A key that whoever embeds the screen has added. */
export interface ExtraKey {
  key: string
  label: string
}

/** What a key press means here; undefined when it is not one of ours. Ctrl+C quits like `q`. */
export function actionOf(input: string, key: Pick<Key, 'ctrl'>): Action | undefined {
  if (key.ctrl) return input === 'c' ? 'quit' : undefined
  return KEYS.find((known) => known.key === input)?.action
}
