import { Box, Text } from 'ink'
import { sparkline } from '../../../screen/drawing/bars.ts'
import { clockText } from '../../../screen/drawing/clock-text.ts'
import { Framed } from '../../../screen/drawing/framed.tsx'
import { Lines } from '../../../screen/drawing/lines.tsx'
import { wrap } from '../../../screen/drawing/text.ts'
import { type Meaning, paint, type Theme, themeOf } from '../../../screen/drawing/theme.ts'
import { type BigFigure, type ClusterLayout, layoutOf } from './layout.ts'
import { MARKS, MapView, markStyle } from './map.tsx'
import type { ClusterModel, HubPanel, PanelState } from './model.ts'

const STATES: Record<PanelState, { sign: string; meaning: Meaning }> = {
  starting: { sign: '○', meaning: 'notice' },
  up: { sign: '✓', meaning: 'good' },
  frozen: { sign: '■', meaning: 'notice' },
  draining: { sign: '▼', meaning: 'notice' },
  dead: { sign: '✕', meaning: 'bad' },
  'no database': { sign: '!', meaning: 'bad' },
}
const DATABASE: Record<ClusterModel['database']['state'], Meaning & string> = {
  up: 'good',
  starting: 'notice',
  stopped: 'bad',
}
/** Frame and padding on both sides. */
const FRAME_COLUMNS = 4
/** Below this width a panel shows no time. */
const TIME_FROM_COLUMNS = 30
/** Below this width a panel shows only the number of its hub. */
const NAME_FROM_COLUMNS = 26

/** The whole screen of the cluster. */
export function ClusterView({ model }: { model: ClusterModel }) {
  const layout = layoutOf(model)
  const theme = themeOf(model.colour)
  const { columns, rows } = model
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Title model={model} />
      <Ledger layout={layout} model={model} theme={theme} />
      <Hubs layout={layout} model={model} theme={theme} />
      <Infra model={model} theme={theme} />
      <MapView model={model} layout={layout.map} />
      <Log model={model} rows={layout.logRows} />
      <Lines rows={layout.footer} dim />
    </Box>
  )
}

function Title({ model: { columns, elapsedS, status } }: { model: ClusterModel }) {
  return (
    <Box width={columns} height={1} justifyContent="space-between">
      <Text wrap="truncate">
        <Text bold>Three hubs, one PostgreSQL</Text>
        <Text>{`  ${status}`}</Text>
      </Text>
      <Text dimColor>{` ${clockText(elapsedS)}`}</Text>
    </Box>
  )
}

function Ledger({ layout, model, theme }: { layout: ClusterLayout; model: ClusterModel; theme: Theme }) {
  const { figures, gap, rows } = layout.ledger
  return (
    <>
      <Box columnGap={gap} height={rows} flexShrink={0} overflow="hidden">
        {figures.map((figure) => (
          <Figure key={figure.name} figure={figure} value={model.figures[figure.name]} theme={theme} />
        ))}
      </Box>
      {layout.restOfLedger === '' ? undefined : <Text wrap="truncate">{layout.restOfLedger}</Text>}
    </>
  )
}

function Figure({ figure, value, theme }: { figure: BigFigure; value: number; theme: Theme }) {
  const { name, label, digits, columns } = figure
  const isPromise = name === 'lost' || name === 'doubled'
  const style = isPromise ? paint(theme, value === 0 ? 'good' : 'bad') : {}
  return (
    <Box flexDirection="column" width={columns} flexShrink={0}>
      <Text wrap="truncate">
        {/* A tick beside "lost" would read as "yes, lost". */}
        {isPromise && value > 0 && <Text {...style}>✕ </Text>}
        {label}
      </Text>
      {digits.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
        <Text key={index} wrap="truncate" bold={isPromise && value > 0} {...style}>
          {row}
        </Text>
      ))}
    </Box>
  )
}

function Hubs({ layout, model, theme }: { layout: ClusterLayout; model: ClusterModel; theme: Theme }) {
  const { hubs, columns, chosen } = model
  const { panelRows } = layout
  if (panelRows === 0)
    return hubs.map((hub, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a hub is its position
      <Text key={index} wrap="truncate">
        <Name hub={index} isChosen={index === chosen} model={model} /> <State hub={hub} theme={theme} />
        {` ${speakersText(hub)}, ${rateText(hub)}`}
      </Text>
    ))
  const width = Math.floor(columns / hubs.length)
  return (
    <Box height={panelRows + 2} flexShrink={0}>
      {hubs.map((hub, index) => (
        <Framed
          // biome-ignore lint/suspicious/noArrayIndexKey: a hub is its position
          key={index}
          area={{ columns: width, rows: panelRows + 2 }}
          top={{
            left: (
              <Text wrap="truncate">
                <Name
                  hub={index}
                  isChosen={index === chosen}
                  model={model}
                  short={width < NAME_FROM_COLUMNS}
                />
              </Text>
            ),
            right: (
              <Text wrap="truncate">
                <State hub={hub} theme={theme} />
                {width >= TIME_FROM_COLUMNS ? ` ${clockText(hub.forS)}` : ''}
              </Text>
            ),
          }}
        >
          <Text wrap="truncate">{speakersText(hub)}</Text>
          <Text wrap="truncate">{rateText(hub)}</Text>
          {panelRows > 2 ? (
            <Text wrap="truncate">{sparkline(hub.history.slice(FRAME_COLUMNS - width))}</Text>
          ) : undefined}
        </Framed>
      ))}
    </Box>
  )
}

function Name({ hub, isChosen, model, short = false }: NameProps) {
  return (
    <Text bold={isChosen}>
      {isChosen ? '›' : ' '}
      {short ? '' : 'hub '}
      {`${hub + 1} `}
      <Text {...markStyle(hub, model.colour)}>{MARKS[hub]?.speaking}</Text>
    </Text>
  )
}

interface NameProps {
  hub: number
  isChosen: boolean
  model: Pick<ClusterModel, 'colour'>
  short?: boolean
}

function State({ hub: { state }, theme }: { hub: HubPanel; theme: Theme }) {
  const { sign, meaning } = STATES[state]
  return (
    <Text>
      <Text {...paint(theme, meaning)}>{sign}</Text>
      {` ${state}`}
    </Text>
  )
}

function speakersText({ speakers }: HubPanel): string {
  return `${speakers} ${speakers === 1 ? 'speaker' : 'speakers'}`
}

function rateText({ callbacksPerS }: HubPanel): string {
  return `${callbacksPerS.toFixed(1)} callbacks/s`
}

function Infra({ model, theme }: { model: ClusterModel; theme: Theme }) {
  const { balancer, database, hubs } = model
  const meaning = !balancer || balancer.up < hubs.length ? 'notice' : 'good'
  return (
    <Text wrap="truncate">
      PostgreSQL{' '}
      <Text {...paint(theme, DATABASE[database.state])}>{database.state === 'up' ? '✓' : '✕'}</Text>
      {` ${database.state} ${clockText(database.forS)}   balancer `}
      <Text {...paint(theme, meaning)}>{meaning === 'good' ? '✓' : '!'}</Text>
      {balancer
        ? ` speakers to ${balancer.up} of ${hubs.length} hubs, payments to ${balancer.ready}`
        : ' not yet'}
    </Text>
  )
}

function Log({ model: { log, columns }, rows }: { model: ClusterModel; rows: number }) {
  const lines = log.slice(-rows).flatMap(({ atS, text }) => {
    const time = `${clockText(atS)}  `
    return wrap(text, Math.max(2, columns - time.length)).map(
      (row, index) => (index === 0 ? time : ' '.repeat(time.length)) + row,
    )
  })
  return (
    <Box flexDirection="column" height={rows} flexShrink={0} overflow="hidden">
      <Lines rows={lines.slice(rows === 0 ? lines.length : -rows)} />
    </Box>
  )
}
