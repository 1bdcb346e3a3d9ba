import { Box, Text } from 'ink'
import type { Area } from '../drawing/area.ts'
import { Framed } from '../drawing/framed.tsx'
import { cellsOf, wrap } from '../drawing/text.ts'
import type { KeyLabel } from './footer.tsx'
import { helpKeys, type KeyContext, type KeyGroup } from './keys.ts'

interface Props {
  area: Area
  context: KeyContext
  extraKeys: readonly HelpKey[]
  quitLabel: string
}

/** In the order of the help. */
const GROUPS: readonly KeyGroup[] = ['speaker', 'line', 'faults', 'view']
const GROUP_COLUMNS = 9
/** Between a key and what it does. */
const GAP = 2
const FRAME_COLUMNS = 4
const FRAME_ROWS = 2
const MIN_TEXT_COLUMNS = 10

/** A key whose help text is longer than its label. */
type HelpKey = KeyLabel & { help?: string }

/** What each key does, in groups, and how to read the log. */
export function Help({ area, context, extraKeys, quitLabel }: Props) {
  const groups = GROUPS.map((group) => ({
    name: group as string,
    keys: helpKeys(context)
      .filter((key) => key.group === group)
      .map(({ key, action, help }) => ({ key, label: action === 'quit' ? quitLabel : help })),
  }))
  const log = { name: 'log', keys: [{ key: '→', label: 'sent   ← received   • happened' }] }
  const all = [{ name: 'here', keys: extraKeys }, ...groups, log]
  const keyColumns = Math.max(...all.flatMap(({ keys }) => keys).map(({ key }) => cellsOf(key))) + GAP
  const columns = Math.max(MIN_TEXT_COLUMNS, area.columns - FRAME_COLUMNS - GROUP_COLUMNS - keyColumns)
  const rows = all.flatMap(({ name, keys }) => rowsOf(name, keys, columns))
  const room = area.rows - FRAME_ROWS
  const isCut = rows.length > room
  return (
    <Framed
      area={area}
      top={{ left: <Text bold>keys</Text> }}
      bottom={{ right: isCut ? <Text>… more in a larger terminal</Text> : undefined }}
    >
      {rows.slice(0, room).map(({ name, key, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
        <Box key={index} flexShrink={0} height={1}>
          <Box width={GROUP_COLUMNS} flexShrink={0}>
            <Text dimColor>{name}</Text>
          </Box>
          <Box width={keyColumns} flexShrink={0}>
            <Text bold>{key}</Text>
          </Box>
          <Text wrap="truncate">{text}</Text>
        </Box>
      ))}
    </Framed>
  )
}

/** A row of the help. `name` and `key` are empty where a text continues or a group goes on. */
interface HelpRow {
  name: string
  key: string
  text: string
}

function rowsOf(name: string, keys: readonly HelpKey[], columns: number): HelpRow[] {
  return keys.flatMap(({ key, help, label }, index) =>
    wrap(help ?? label, columns).map((text, row) => ({
      name: index === 0 && row === 0 ? name : '',
      key: row === 0 ? key : '',
      text,
    })),
  )
}
