import { networkInterfaces } from 'node:os'
import type { RunListener } from '../run/run.ts'
import type { Paint } from './paint.ts'
import { caseLine, deviceLines, headingOf } from './text.ts'

/** Tells of a run while it goes on, a line for every case. */
export function liveListener(
  write: (text: string) => void,
  paint: Paint,
  { serial, host, waitMs, cases }: { serial: string; host: string; waitMs: number; cases: number },
): RunListener {
  let latest: string | undefined
  const say = (lines: readonly string[]) => write(lines.map((line) => `${line}\n`).join(''))
  const head = (heading: string) => {
    if (heading !== latest) say(['', paint('heading', heading)])
    latest = heading
  }
  return {
    listening: (port) =>
      say([
        paint('heading', `sb/1 conformance of ${serial}: ${cases} cases`),
        `Waiting ${waitMs / 1000} s for it at ${addresses(host, port).join(' or ')}`,
      ]),
    connected: (device) => {
      if (device) say(['', ...deviceLines(device)])
    },
    started: ({ area, always }) => head(headingOf({ area, always: always !== undefined })),
    ended: (result) => {
      head(headingOf(result))
      say([caseLine(result, paint)])
    },
  }
}

/** Where a device can find the kit: every address of this machine when it listens on all. */
function addresses(host: string, port: number): string[] {
  const own = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const all = own.flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []))
  return (host === '0.0.0.0' ? all : [host]).map((address) => `mqtt://${address}:${port}`)
}
