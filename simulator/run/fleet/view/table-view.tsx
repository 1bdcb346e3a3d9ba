import { Box, Text } from 'ink'
import { wrap } from '../../../screen/drawing/text.ts'
import { type Theme, themeOf } from '../../../screen/drawing/theme.ts'
import { footerText } from '../../../screen/keys/footer.tsx'
import type { HeaderLine } from './header-lines.ts'
import { FLEET_KEYS } from './keys.ts'
import { SMALLEST, type TableLine, type TableModel } from './model.ts'

/** Status and footer. */
const BOTTOM_ROWS = 2

/** The fleet's screen, from plain data: figures, table, keys. */
export function TableView({ model }: { model: TableModel }) {
  const { columns, rows, colour, header, titles, lines, status, state } = model
  if (columns < SMALLEST.columns || rows < SMALLEST.rows)
    return (
      <Text>
        {wrap(`The fleet needs a terminal of ${SMALLEST.columns}x${SMALLEST.rows} or more.`, columns).join(
          '\n',
        )}
      </Text>
    )
  const theme = themeOf(colour)
  // The help replaces the figures when both do not fit: it is complete even in the smallest terminal.
  const helpFits = rows - header.length - BOTTOM_ROWS >= FLEET_KEYS.length
  const figures = state.help && !helpFits ? [] : header
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {figures.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line of the header is its place
        <Figures key={index} line={line} theme={theme} />
      ))}
      {state.help ? <FleetHelp /> : <Rows titles={titles} lines={lines} theme={theme} />}
      <Box flexGrow={1} />
      <Text dimColor wrap="truncate">
        {status}
      </Text>
      {state.typing ? <Typing filter={state.filter} /> : <FleetFooter columns={columns} />}
    </Box>
  )
}

function Figures({ line: { text, tone }, theme }: { line: HeaderLine; theme: Theme }) {
  return (
    <Text wrap="truncate" dimColor={tone === 'dim'} {...(tone === 'bad' ? bad(theme) : {})}>
      {text}
    </Text>
  )
}

function Rows({ titles, lines, theme }: { titles: string; lines: readonly TableLine[]; theme: Theme }) {
  return (
    <>
      <Text underline wrap="truncate">
        {titles}
      </Text>
      {lines.map(({ index, text, selected, hasProblem }) => (
        <Text
          key={index}
          wrap="truncate"
          bold={selected}
          inverse={selected}
          {...(hasProblem ? bad(theme) : {})}
        >
          {text}
        </Text>
      ))}
    </>
  )
}

function Typing({ filter }: { filter: string }) {
  return (
    <Text wrap="truncate">
      /{filter}▏ <Text dimColor>↵ keep · Esc show all</Text>
    </Text>
  )
}

function FleetFooter({ columns }: { columns: number }) {
  const keys = FLEET_KEYS.flatMap((known) => ('label' in known ? [known] : []))
  return (
    <Text dimColor wrap="truncate">
      {footerText(keys, '', columns)}
    </Text>
  )
}

function FleetHelp() {
  return FLEET_KEYS.map(({ key, help }) => (
    <Text key={key} wrap="truncate">
      <Text bold>{key.padEnd(3)}</Text> {help}
    </Text>
  ))
}

function bad({ bad: color }: Theme) {
  return color === undefined ? {} : { color }
}
