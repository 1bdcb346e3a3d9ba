import { Box, Text, useAnimation } from 'ink'
import type { SpeakerSnapshot } from '../snapshot.ts'
import type { Area } from './layout.ts'
import { Screen, type ScreenProps } from './screens/screen.tsx'
import type { Theme } from './theme.ts'
import type { Words } from './words.ts'

interface Props extends ScreenProps {
  speaker: SpeakerSnapshot
  area: Area
}

/** The device: title with the state of its line, screen, the sentence being spoken, volume. */
export function Panel({ speaker, area, ...screen }: Props) {
  const { words, theme } = screen
  return (
    <Box
      flexDirection="column"
      borderStyle="round"
      paddingX={1}
      width={area.columns}
      height={area.rows}
      overflow="hidden"
    >
      <Box justifyContent="space-between">
        <Text bold wrap="truncate">
          {speaker.shop || speaker.serial}
        </Text>
        <LinkState speaker={speaker} theme={theme} />
      </Box>
      <Box flexGrow={1} flexDirection="column" alignItems="center" justifyContent="center" overflow="hidden">
        <Screen {...screen} />
      </Box>
      <Sound speaker={speaker} words={words} />
      <Text dimColor wrap="truncate">
        {words.volume} {volumeBar(speaker.settings.volume)} {speaker.settings.volume}%
        {speaker.waiting > 0 ? ` · ${words.waiting(speaker.waiting)}` : ''}
        {speaker.shop ? ` · ${speaker.serial}` : ''}
      </Text>
    </Box>
  )
}

/** A sign and words for the line, so that a dumb speaker shows itself on every screen. */
function LinkState({ speaker, theme }: { speaker: SpeakerSnapshot; theme: Theme }) {
  const { sign, text, color } = linkLook(speaker, theme)
  return (
    <Box flexShrink={0} marginLeft={1}>
      <Text {...(color === undefined ? {} : { color })}>
        {sign} {text}
      </Text>
    </Box>
  )
}

function linkLook(speaker: SpeakerSnapshot, theme: Theme) {
  switch (speaker.link) {
    case 'welcomed':
      return { sign: '●', text: 'connected', color: theme.good }
    case 'connecting':
      return { sign: '○', text: 'connecting', color: undefined }
    case 'born':
      return { sign: '○', text: 'waiting for welcome', color: undefined }
    case 'offline':
      return { sign: '✕', text: `offline${retryText(speaker.retryInMs)}`, color: theme.bad }
  }
}

function retryText(retryInMs: number | undefined): string {
  if (retryInMs === undefined) return ''
  const seconds = Math.ceil(retryInMs / 1000)
  return seconds > 90 ? `, next try in ${Math.ceil(seconds / 60)} min` : `, next try in ${seconds} s`
}

const WAVES = [')', '))', ')))']
const WAVE_MS = 200

function Sound({ speaker, words }: { speaker: SpeakerSnapshot; words: Words }) {
  const { sounding } = speaker
  const { frame } = useAnimation({ interval: WAVE_MS, isActive: sounding !== undefined })
  if (!sounding) return <Text> </Text>
  const wave = (WAVES[frame % WAVES.length] ?? '').padEnd(WAVES.length)
  return (
    <Text bold wrap="truncate">
      ◁{wave} {sounding.kind === 'beep' ? words.beep : sounding.text}
    </Text>
  )
}

const BAR_CELLS = 10

function volumeBar(percent: number): string {
  const full = Math.round((percent / 100) * BAR_CELLS)
  return '▮'.repeat(full) + '▯'.repeat(BAR_CELLS - full)
}
