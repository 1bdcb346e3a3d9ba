import { Box, Text } from 'ink'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'
import { Lines } from '../drawing/lines.tsx'

/** The width of the cone and its waves. */
export const CONE_COLUMNS = 14

const AT_REST = ['╭─────╮', '│ ╭─╮ │', '│ ╰─╯ │', '╰─────╯']
const PUSHED = ['╭─────╮', '│╭───╮│', '│╰───╯│', '╰─────╯']
const BROKEN = ['╭─────╮', '│ ╲ ╱ │', '│ ╱ ╲ │', '╰─────╯']
/** The waves leave the cone one after another. */
const WAVES = [
  ['', ' ╮', ' ╯', ''],
  ['   ╮', ' ╮ │', ' ╯ │', '   ╯'],
  ['   ╮ ╮', ' ╮ │ │', ' ╯ │ │', '   ╯ ╯'],
]

/** The speaker's cone; `beat` animates it while a sound plays. */
export function Cone({ speaker, beat }: { speaker: SpeakerSnapshot; beat: number }) {
  const heard = speaker.sounding !== undefined
  return (
    <Box flexShrink={0} width={CONE_COLUMNS} height={AT_REST.length}>
      <Box flexDirection="column" flexShrink={0}>
        <Lines rows={coneOf(speaker, beat)} dim={!speaker.power} bold={heard} />
      </Box>
      {heard ? (
        <Box flexDirection="column" flexShrink={0}>
          <Lines rows={WAVES[beat % WAVES.length] ?? []} />
        </Box>
      ) : undefined}
    </Box>
  )
}

/** The cone in one row: "◁)))". */
export function ConeSign({ speaker, beat }: { speaker: SpeakerSnapshot; beat: number }) {
  const waves = speaker.sounding ? ')'.repeat((beat % 3) + 1) : isBroken(speaker) ? '✕' : ''
  return (
    <Text bold={speaker.sounding !== undefined} dimColor={!speaker.power}>
      ◁{waves.padEnd(3)}
    </Text>
  )
}

function coneOf(speaker: SpeakerSnapshot, beat: number): readonly string[] {
  if (isBroken(speaker)) return BROKEN
  return speaker.sounding && beat % 2 === 0 ? PUSHED : AT_REST
}

function isBroken({ faults }: SpeakerSnapshot): boolean {
  return faults.includes('broken-audio')
}
