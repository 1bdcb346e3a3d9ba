import { Text } from 'ink'
import { type ExtraKey, KEYS } from './keys.ts'
import type { Area } from './layout.ts'
import { Pane } from './pane.tsx'

/** What each key does, and how to read the log. */
export function Help({ area, extraKeys }: { area: Area; extraKeys: readonly ExtraKey[] }) {
  const keys = [...extraKeys.map(({ key, label }) => ({ key, help: label })), ...KEYS]
  return (
    <Pane area={area}>
      {keys.map(({ key, help }) => (
        <Text key={key} wrap="wrap">
          <Text bold>{key}</Text> {help}
        </Text>
      ))}
      <Text dimColor wrap="wrap">
        → sent · ← received · • happened
      </Text>
    </Pane>
  )
}
