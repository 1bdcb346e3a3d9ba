import { Text } from 'ink'
import { type ExtraKey, KEYS } from './keys.ts'

/** The keys that do something, then what the embedder has to say. */
export function Footer({ extraKeys, text }: { extraKeys: readonly ExtraKey[]; text: string }) {
  const keys = [...extraKeys, ...KEYS].map(({ key, label }) => `${key} ${label}`)
  return (
    <Text dimColor wrap="truncate">
      {' '}
      {[...keys, ...(text === '' ? [] : [text])].join(' · ')}
    </Text>
  )
}
