import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { BrokenDisplay } from '../display/broken.tsx'
import { type DisplayProps, DisplayView } from '../display/display.tsx'
import { borderOf } from '../drawing/border.ts'
import { Framed } from '../drawing/framed.tsx'
import type { Theme } from '../drawing/theme.ts'
import type { DevicePlan } from '../layout/plans.ts'
import { IndicatorText } from './indicator-text.tsx'
import { batteryText, fittingLights, isDisplayBroken, lightsOf, moodOf, signalText } from './indicators.ts'
import { Panel } from './panel.tsx'

interface Props {
  speaker: SpeakerSnapshot
  plan: DevicePlan
  screen: Omit<DisplayProps, 'room'>
  canAct: boolean
  beat: number
}

/** The frame and its padding on both sides. */
const SIDES = 4
/** Columns of an edge besides its text: ends, spaces, and a bit of line. */
const EDGE_ENDS = 7

/** The drawn device: serial and gauges on the upper edge, display, panel, lights on the lower edge. */
export function Device({ speaker, plan, screen, canAct, beat }: Props) {
  const { theme } = screen
  const panel = { speaker, theme, canAct, beat, plan: plan.panel, columns: plan.area.columns - SIDES }
  return (
    <Framed
      area={plan.area}
      border={borderOf(theme, moodOf(speaker))}
      top={{
        left: <Name speaker={speaker} />,
        right: <Gauges speaker={speaker} columns={plan.area.columns} />,
      }}
      bottom={{
        left: <Lights speaker={speaker} theme={theme} beat={beat} columns={plan.area.columns - EDGE_ENDS} />,
      }}
    >
      <Bezel plan={plan} dark={!speaker.power}>
        {speaker.power && isDisplayBroken(speaker) ? (
          <BrokenDisplay room={plan.screen} />
        ) : (
          <DisplayView {...screen} room={plan.screen} />
        )}
      </Bezel>
      <Panel {...panel} />
    </Framed>
  )
}

function Bezel({ plan, dark, children }: { plan: DevicePlan; dark: boolean; children: React.ReactNode }) {
  const border = plan.bordered ? ({ borderStyle: 'single', borderDimColor: dark } as const) : {}
  return (
    <Box {...border} flexDirection="column" flexGrow={1} alignItems="center" overflow="hidden">
      {children}
    </Box>
  )
}

function Name({ speaker }: { speaker: SpeakerSnapshot }) {
  return (
    <Text bold wrap="truncate">
      {speaker.serial}
    </Text>
  )
}

/** Below this width, the unit is dropped in favour of the serial. */
const COLUMNS_WITH_UNIT = 50

function Gauges({ speaker, columns }: { speaker: SpeakerSnapshot; columns: number }) {
  return (
    <Text dimColor={!speaker.power}>
      {signalText(speaker, columns >= COLUMNS_WITH_UNIT)} {batteryText(speaker.battery)}
    </Text>
  )
}

interface LightsProps {
  speaker: SpeakerSnapshot
  theme: Theme
  beat: number
  columns: number
}

function Lights({ speaker, theme, beat, columns }: LightsProps) {
  const { lights, gap } = fittingLights(lightsOf(speaker, beat), columns)
  return (
    <Box columnGap={gap} overflow="hidden">
      {lights.map((indicator) => (
        <Box key={indicator.word} flexShrink={0}>
          <IndicatorText indicator={indicator} theme={theme} />
        </Box>
      ))}
    </Box>
  )
}
