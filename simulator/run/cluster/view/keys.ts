import type { Key } from 'ink'

export type ClusterAction =
  | { do: 'choose'; hub: number }
  | { do: 'kill' | 'freeze' | 'drain' | 'start' | 'database' | 'pay' | 'quit' | 'leave' }

/** The keys in the order of the footer. */
export const CLUSTER_KEYS: readonly { key: string; label: string }[] = [
  { key: '1 2 3', label: 'choose a hub' },
  { key: 'k', label: 'kill -9' },
  { key: 'f', label: 'freeze, wake' },
  { key: 'd', label: 'drain' },
  { key: 's', label: 'start' },
  { key: 'p', label: 'kill, start PostgreSQL' },
  { key: 'space', label: 'pause payments' },
  { key: 'q', label: 'end' },
]

const ACTIONS: Readonly<Record<string, ClusterAction>> = {
  '1': { do: 'choose', hub: 0 },
  '2': { do: 'choose', hub: 1 },
  '3': { do: 'choose', hub: 2 },
  k: { do: 'kill' },
  f: { do: 'freeze' },
  d: { do: 'drain' },
  s: { do: 'start' },
  p: { do: 'database' },
  ' ': { do: 'pay' },
  q: { do: 'quit' },
}

/** The action of a key press. Ctrl+C leaves without waiting. */
export function clusterActionOf(input: string, key: Partial<Key>): ClusterAction | undefined {
  if (key.ctrl) return input === 'c' ? { do: 'leave' } : undefined
  return ACTIONS[input]
}
