import { networkInterfaces } from 'node:os'
import type { Paint } from './paint.ts'
import type { RunListener } from './report.ts'
import { caseLine, deviceLines, headingOf, versionsOf } from './text.ts'

export interface LiveContext {
  /** The version of the kit. */
  kit: string
  serial: string
  host: string
  waitMs: number
  /** The number of cases. */
  cases: number
}

/** Prints the progress of a run, one line per case. */
export function liveListener(
  write: (text: string) => void,
  paint: Paint,
  { kit, serial, host, waitMs, cases }: LiveContext,
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
        paint('heading', `${versionsOf(kit)}: ${serial}, ${cases} cases`),
        `Waiting ${waitMs / 1000} s for the device at ${addresses(host, port).join(' or ')}`,
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

/** The addresses of the kit: all of this machine's if it listens on 0.0.0.0. */
function addresses(host: string, port: number): string[] {
  const own = Object.values(networkInterfaces()).flatMap((some) => some ?? [])
  const all = own.flatMap(({ address, family }) => (family === 'IPv4' ? [address] : []))
  return (host === '0.0.0.0' ? all : [host]).map((address) => `mqtt://${address}:${port}`)
}
