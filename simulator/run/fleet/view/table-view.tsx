import { Box, Text } from 'ink'
import { styledLine } from '../../../screen/drawing/styled.ts'
import { wrap } from '../../../screen/drawing/text.ts'
import { paint, type Theme, themeOf } from '../../../screen/drawing/theme.ts'
import { footerText } from '../../../screen/keys/footer.tsx'
import type { HeaderLine } from './header/header-lines.ts'
import { LedgerView } from './header/ledger.tsx'
import { FLEET_KEYS } from './keys.ts'
import { MapView } from './map/map-view.tsx'
import { SMALLEST, type TableModel } from './model.ts'

/** The totals and the keys; the help takes the place of the status. */
const OTHER_ROWS = 2

/** The fleet's screen, from plain data: figures, table, keys. */
export function TableView({ model }: { model: TableModel }) {
  const { columns, rows, colour, layout, banner, totals, figures, map, status, state } = model
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
  const helpFits = rows - layout.figures.rows - layout.banner - OTHER_ROWS >= FLEET_KEYS.length
  return (
    <Box flexDirection="column" width={columns} height={rows}>
      {banner === undefined ? undefined : (
        <Text wrap="truncate" bold inverse {...paint(theme, 'bad')}>
          {banner.padEnd(columns)}
        </Text>
      )}
      <Text wrap="truncate">{totals}</Text>
      {state.help && !helpFits ? undefined : (
        <Box height={layout.figures.rows} flexShrink={0}>
          <LedgerView figures={layout.ledger} theme={theme} />
          <Box flexDirection="column" width={layout.figures.columns} flexShrink={0}>
            {figures.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line of the header is its place
              <Figures key={index} line={line} theme={theme} />
            ))}
          </Box>
        </Box>
      )}
      {map && !state.help ? <MapView caption={map.caption} rows={map.rows} theme={theme} /> : undefined}
      {state.help ? (
        <FleetHelp hasLegend={rows - layout.banner - OTHER_ROWS > FLEET_KEYS.length} />
      ) : (
        <Rows model={model} theme={theme} />
      )}
      <Box flexGrow={1} />
      {state.help ? undefined : (
        <Text dimColor wrap="truncate">
          {status}
        </Text>
      )}
      {state.typing ? <Typing filter={state.filter} /> : <FleetFooter columns={columns} />}
    </Box>
  )
}

function Figures({ line: { text, tone }, theme }: { line: HeaderLine; theme: Theme }) {
  return (
    <Text wrap="truncate" dimColor={tone === 'dim'} {...(tone === 'bad' ? paint(theme, 'bad') : {})}>
      {text}
    </Text>
  )
}

/** Each title is underlined on its own, so that two of them do not read as one. */
function Rows({ model: { layout, titles, lines }, theme }: { model: TableModel; theme: Theme }) {
  if (layout.tableRows === 0) return undefined
  return (
    <>
      <Text wrap="truncate">
        {styledLine(
          titles.map(({ text, isTitle }) => ({ text, meaning: 'plain', underline: isTitle })),
          theme,
        )}
      </Text>
      {lines.map(({ index, parts, selected }) => (
        <Text key={index} wrap="truncate" bold={selected} inverse={selected}>
          {styledLine(parts, theme)}
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

function FleetHelp({ hasLegend }: { hasLegend: boolean }) {
  return (
    <>
      {FLEET_KEYS.map(({ key, help }) => (
        <Text key={key} wrap="truncate">
          <Text bold>{key.padEnd(3)}</Text> {help}
        </Text>
      ))}
      {hasLegend ? (
        <Text dimColor wrap="truncate">
          {'    green: a payment is heard · magenta: look at it · red: refused or broken · faint: no line'}
        </Text>
      ) : undefined}
    </>
  )
}
