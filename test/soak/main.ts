import { parseArgs } from 'node:util'
import { runSoak } from './run.ts'

const { values } = parseArgs({
  options: {
    speakers: { type: 'string', default: '500' },
    minutes: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    kills: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
  },
})
const options = {
  speakers: Number(values.speakers),
  minutes: Number(values.minutes),
  rate: Number(values.rate),
  kills: Number(values.kills),
  seed: Number(values.seed),
}
const say = (line: string) => process.stdout.write(`${line}\n`)

const opened = new AsyncDisposableStack()
try {
  const { figures, broken } = await runSoak(options, { onEnd: (close) => opened.defer(close), say })
  for (const [figure, value] of Object.entries(figures)) say(`${figure.padEnd(24)} ${value}`)
  for (const line of broken) say(`BROKEN ${line}`)
  // If no speaker ever connected, all payments would be missed and none wrong.
  const isHeard = Number(figures['heard once']) > Number(figures.payments) / 2
  if (!isHeard) say('Most payments were heard by nobody: that proves nothing.')
  process.exitCode = broken.length === 0 && isHeard ? 0 : 1
} finally {
  await opened.disposeAsync()
}
