import { Box, Text } from 'ink'
import type { Area } from '../drawing/area.ts'
import { Framed } from '../drawing/framed.tsx'
import { cellsOf, wrap } from '../drawing/text.ts'
import type { KeyLabel } from './footer.tsx'
import { helpKeys, type KeyContext, type KeyGroup } from './keys.ts'
import { LOG_KEYS } from './log-keys.ts'

interface Props {
  area: Area
  context: KeyContext
  extraKeys: readonly HelpKey[]
  quitLabel: string
}

/** In the order of the help. */
const GROUPS: readonly KeyGroup[] = ['speaker', 'line', 'faults', 'view', 'log']
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
      .map(({ key, action, label, help }) =>
        action === 'quit' ? { key, label: quitLabel } : { key, label, help },
      ),
  }))
  return <Rows area={area} title="keys" groups={[{ name: 'here', keys: extraKeys }, ...withLegend(groups)]} />
}

/** The keys of the help as plain lines; in short words where the long ones do not fit into `columns`. */
export function hintLines(context: KeyContext, columns: number): string[] {
  const keys = helpKeys(context)
  const keyColumns = Math.max(...keys.map(({ key }) => cellsOf(key))) + GAP
  const isShort = keys.some(({ help }) => keyColumns + cellsOf(help) > columns)
  return keys.map(({ key, help, label }) => `${key.padEnd(keyColumns)}${isShort ? label : help}`)
}

/** What each key does in the open log. */
export function LogHelp({ area }: { area: Area }) {
  return <Rows area={area} title="keys of the log" groups={withLegend([{ name: 'log', keys: LOG_KEYS }])} />
}

interface HelpGroup {
  name: string
  keys: readonly HelpKey[]
}

/** The signs of the log, below its keys. */
function withLegend(groups: readonly HelpGroup[]): HelpGroup[] {
  return groups.map((group) => (group.name === 'log' ? { ...group, keys: [...group.keys, LEGEND] } : group))
}

const LEGEND: HelpKey = { key: '→', label: 'sent   ← received   • happened' }

function Rows({ area, title, groups }: { area: Area; title: string; groups: readonly HelpGroup[] }) {
  const keyColumns = Math.max(...groups.flatMap(({ keys }) => keys).map(({ key }) => cellsOf(key))) + GAP
  const columns = Math.max(MIN_TEXT_COLUMNS, area.columns - FRAME_COLUMNS - GROUP_COLUMNS - keyColumns)
  const room = area.rows - FRAME_ROWS
  const whole = groups.flatMap(({ name, keys }) => rowsOf(name, keys, columns))
  // A word for each key, rather than sentences for some of them.
  const rows =
    whole.length <= room
      ? whole
      : groups.flatMap(({ name, keys }) => rowsOf(name, keys.map(withoutHelp), columns))
  const isCut = rows.length > room
  return (
    <Framed
      area={area}
      top={{ left: <Text bold>{title}</Text> }}
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

function withoutHelp({ key, label }: HelpKey): HelpKey {
  return { key, label }
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
