import { Text } from 'ink'
import type { ClusterLayout } from './layout.ts'
import type { ClusterModel, Dot } from './model.ts'

/** The shape says the hub, and a filled one speaks: colour alone carries no meaning. */
export const MARKS: readonly { silent: string; speaking: string; colour: string }[] = [
  { silent: '○', speaking: '●', colour: 'cyan' },
  { silent: '◇', speaking: '◆', colour: 'magenta' },
  { silent: '△', speaking: '▲', colour: 'green' },
]
const AWAY = '·'

export function markStyle(hub: number, colour: boolean): { color?: string } {
  const mark = MARKS[hub]
  return colour && mark ? { color: mark.colour } : {}
}

/** The speakers, a mark for each, below a line that counts them. */
export function MapView({ model, layout }: { model: ClusterModel; layout: ClusterLayout['map'] }) {
  const { speakers, hubs, colour } = model
  const away = speakers.filter(({ hub }) => hub === undefined).length
  const speaking = speakers.filter(({ isSpeaking }) => isSpeaking).length
  const counts = hubs.map((hub, index) => `${MARKS[index]?.silent} ${hub.speakers}`).join('  ')
  const rows = Array.from({ length: layout.rows }, (_, row) =>
    runsOf(speakers.slice(row * layout.perRow, (row + 1) * layout.perRow), layout.spread),
  )
  return (
    <>
      <Text wrap="truncate">
        {`${speakers.length} speakers  ${counts}  ${AWAY} ${away} away  ${speaking} speak now (filled)`}
      </Text>
      {rows.map((runs, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row is its position
        <Text key={row} wrap="truncate">
          {runs.map(({ text, dot: { hub, isSpeaking } }, run) => (
            <Text
              // biome-ignore lint/suspicious/noArrayIndexKey: a run is its position
              key={run}
              bold={isSpeaking}
              dimColor={hub === undefined}
              {...(hub === undefined ? {} : markStyle(hub, colour))}
            >
              {text}
            </Text>
          ))}
        </Text>
      ))}
    </>
  )
}

/** Neighbours that look the same are drawn together: a screen of hundreds of texts would cost much. */
function runsOf(dots: readonly Dot[], spread: number): { dot: Dot; text: string }[] {
  const runs: { dot: Dot; text: string }[] = []
  for (const dot of dots) {
    const last = runs.at(-1)
    const text = markOf(dot).padEnd(spread)
    if (last && last.dot.hub === dot.hub && last.dot.isSpeaking === dot.isSpeaking) last.text += text
    else runs.push({ dot, text })
  }
  return runs
}

function markOf({ hub, isSpeaking }: Dot): string {
  const mark = hub === undefined ? undefined : MARKS[hub]
  if (!mark) return AWAY
  return isSpeaking ? mark.speaking : mark.silent
}
