import type { Key } from 'ink'
import type { Throttle } from '../pay/pace.ts'

/** Every key of the fleet's table, in the order of the help; keys with a label are also in the footer. */
export const FLEET_KEYS = [
  {
    key: 'q',
    action: 'quit',
    label: 'quit',
    help: 'end the run; a second time without waiting',
  },
  { key: '?', action: 'help', label: 'help', help: 'show or hide these lines' },
  { key: '↑↓', action: 'move', help: 'one speaker up or down; also PgUp, PgDn, Home and End' },
  { key: '↵', action: 'open', label: 'open', help: 'open this speaker; Esc returns' },
  {
    key: '/',
    action: 'filter',
    label: 'filter',
    help: 'only serials, shops and states with this text; Esc: all',
  },
  { key: 'p', action: 'problems', label: 'problems', help: 'only speakers with a problem' },
  { key: 'm', action: 'map', label: 'map', help: 'map and table; only the map; only the table' },
  { key: 's', action: 'sort', label: 'sort', help: 'sort by the next column; S by the previous one' },
  { key: 'r', action: 'reverse', label: 'reverse', help: 'reverse the order' },
  { key: '+-', action: 'throttle', label: 'rate', help: 'payments a second; space: pause, go on' },
] as const

export type FleetAction =
  | { do: 'open' | 'filter' | 'problems' | 'map' | 'reverse' | 'help' | 'quit' | 'escape' | 'erase' }
  | { do: 'sort'; by: 1 | -1 }
  | { do: 'throttle'; how: Throttle }
  | { do: 'move'; to: 'up' | 'down' | 'page_up' | 'page_down' | 'first' | 'last' }
  | { do: 'type'; text: string }

type Pressed = Partial<Key>

const WORDS: Record<string, FleetAction> = {
  '/': { do: 'filter' },
  p: { do: 'problems' },
  m: { do: 'map' },
  s: { do: 'sort', by: 1 },
  S: { do: 'sort', by: -1 },
  r: { do: 'reverse' },
  '?': { do: 'help' },
  q: { do: 'quit' },
  '+': { do: 'throttle', how: 'faster' },
  '-': { do: 'throttle', how: 'slower' },
  ' ': { do: 'throttle', how: 'pause' },
}

/** The action of a key press. While a filter is typed, letters are text. Ctrl+C always quits. */
export function fleetActionOf(input: string, key: Pressed, typing: boolean): FleetAction | undefined {
  if (key.ctrl) return input === 'c' ? { do: 'quit' } : undefined
  const moved = moveOf(key)
  if (moved) return { do: 'move', to: moved }
  if (key.return) return { do: 'open' }
  if (key.escape) return { do: 'escape' }
  if (!typing) return WORDS[input]
  if (key.backspace || key.delete) return { do: 'erase' }
  // Terminal reports and control characters are not text.
  return input !== '' && !key.meta && !/\p{Cc}/u.test(input) ? { do: 'type', text: input } : undefined
}

function moveOf(key: Pressed): Extract<FleetAction, { do: 'move' }>['to'] | undefined {
  if (key.upArrow) return 'up'
  if (key.downArrow) return 'down'
  if (key.pageUp) return 'page_up'
  if (key.pageDown) return 'page_down'
  if (key.home) return 'first'
  return key.end ? 'last' : undefined
}
