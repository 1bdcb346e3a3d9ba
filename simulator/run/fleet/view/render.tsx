import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import type { Clock } from '../../../platform/clock.ts'
import type { Run } from '../run/run.ts'
import { FleetApp } from './fleet-app.tsx'
import { DrawCost, FRAME_GAP_MS } from './frames.ts'
import { Table } from './table.ts'

/** Shows a run in the terminal until it is closed. The quit key ends the run, not the screen. */
export function renderFleet({
  run,
  clock,
  stdout,
  stdin,
  tmux,
}: {
  run: Run
  clock: Clock
  stdout: WriteStream
  stdin: NodeJS.ReadStream
  tmux: string | undefined
}): { close(): Promise<void> } {
  const cost = new DrawCost()
  const table = new Table(run, clock)
  const app = <FleetApp table={table} clock={clock} colour={stdout.hasColors()} tmux={tmux} cost={cost} />
  const ink = render(app, {
    ...{ stdout, stdin, exitOnCtrlC: false, alternateScreen: true, incrementalRendering: true },
    // An opened speaker redraws with its feed: limit the terminal's frames, too.
    maxFps: 1000 / FRAME_GAP_MS,
    onRender: () => cost.end(),
  })
  return {
    async close() {
      ink.unmount()
      await ink.waitUntilExit()
    },
  }
}
