import type { WriteStream } from 'node:tty'
import { render } from 'ink'
import type { Box } from '../box.ts'
import { BoxApp } from './app.tsx'

const FRAMES_PER_SECOND = 10

/** Shows a box in the terminal. Call it before `box.start()`, so that the log misses nothing. */
export function renderBox({
  box,
  stdout,
  stdin,
}: {
  box: Box
  stdout: WriteStream
  stdin: NodeJS.ReadStream
}) {
  const { promise: closed, resolve } = Promise.withResolvers<undefined>()
  const ink = render(<BoxApp box={box} colour={stdout.hasColors()} onQuit={() => resolve(undefined)} />, {
    stdout,
    stdin,
    exitOnCtrlC: false,
    alternateScreen: true,
    incrementalRendering: true,
    maxFps: FRAMES_PER_SECOND,
  })
  return {
    closed,
    close: async () => {
      ink.unmount()
      await ink.waitUntilExit()
    },
  }
}
