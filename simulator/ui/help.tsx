import { Box, Text } from 'ink'
import type { KeyLabel } from './footer.tsx'
import { Framed } from './framed.tsx'
import { helpKeys, type KeyContext, type KeyGroup } from './keys.ts'
import type { Area } from './layout.ts'

interface Props {
  area: Area
  context: KeyContext
  extraKeys: readonly KeyLabel[]
  quitLabel: string
}

/** In the order of the help. */
const GROUPS: readonly KeyGroup[] = ['speaker', 'line', 'faults', 'view']
const GROUP_COLUMNS = 9

/** What each key does, by what it works on, and how to read the log. */
export function Help({ area, context, extraKeys, quitLabel }: Props) {
  const groups = GROUPS.map((group) => ({
    name: group as string,
    keys: helpKeys(context)
      .filter((key) => key.group === group)
      .map(({ key, action, help }) => ({ key, label: action === 'quit' ? quitLabel : help })),
  }))
  return (
    <Framed area={area} top={{ left: <Text bold>keys</Text> }}>
      {[{ name: 'here', keys: extraKeys }, ...groups].map(({ name, keys }) => (
        <Group key={name} name={name} keys={keys} />
      ))}
      <Group name="log" keys={[{ key: '→', label: 'sent   ← received   • happened' }]} />
    </Framed>
  )
}

function Group({ name, keys }: { name: string; keys: readonly KeyLabel[] }) {
  return keys.map(({ key, label }, index) => (
    <Box key={key} flexShrink={0}>
      <Box width={GROUP_COLUMNS} flexShrink={0}>
        <Text dimColor>{index === 0 ? name : ''}</Text>
      </Box>
      <Box width={3} flexShrink={0}>
        <Text bold>{key}</Text>
      </Box>
      <Text wrap="wrap">{label}</Text>
    </Box>
  ))
}
