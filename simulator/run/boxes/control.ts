import { createInterface } from 'node:readline'
import type { Box } from '../../boxes/box.ts'
import { BOX_FAULTS, isBoxFault } from '../../boxes/core/faults.ts'
import type { BoxPrintedLine } from './printed-line.ts'

/** All control lines, for error messages. */
export const BOX_CONTROLS = [
  'power off|on',
  'network cut|plug',
  'fault NAME on|off',
  'keys 0123456789',
  'key enter|back|clear|000',
  'snapshot',
  'quit',
]

/**
 * Performs control lines one after another. Resolves at `quit`. The end of the input does not, so that a script can pipe in
 * a few lines at the start.
 */
export async function runBoxControl(
  box: Box,
  input: NodeJS.ReadableStream,
  { print, signal }: { print: (line: BoxPrintedLine) => void; signal: AbortSignal },
): Promise<undefined> {
  for await (const line of createInterface({ input, signal })) {
    const text = line.trim()
    if (text === 'quit') return undefined
    if (text === 'snapshot') print(snapshotOf(box))
    else if (text !== '' && !performBoxControl(box, text))
      print({ event: 'error', message: `"${text}" is not a control line: ${BOX_CONTROLS.join(', ')}` })
  }
  return new Promise(() => {})
}

/** False when the line is none. */
export function performBoxControl(box: Box, line: string): boolean {
  const [verb = '', first = '', second = '', ...more] = line.split(/\s+/)
  const isOn = second === 'on'
  if (more.length > 0 || (second !== '' && verb !== 'fault')) return false
  if (verb === 'power' && first === 'on') box.powerOn()
  else if (verb === 'power' && first === 'off') box.powerOff()
  else if (verb === 'network' && first === 'plug') box.start()
  else if (verb === 'network' && first === 'cut') box.cutNetwork()
  else if (verb === 'fault' && isBoxFault(first) && (isOn || second === 'off')) box.setFault(first, isOn)
  else if (verb === 'keys' && /^\d+$/.test(first)) for (const digit of first) box.press(digit)
  else if (verb === 'key' && ['enter', 'back', 'clear', '000'].includes(first)) box.press(first)
  else return false
  return true
}

/** What a script may want to know; the faults are in the order of the list. */
export function snapshotOf(box: Box): BoxPrintedLine {
  const { power, plugged, state } = box.snapshot()
  const { config, link, screen, home, keypad, playing, queue, sounds, faults, digits } = state
  return {
    event: 'snapshot',
    serial: config.serial,
    power,
    plugged,
    link: link.phase,
    ...{ screen, home, keypad, digits },
    sounding: playing?.text,
    waiting: queue.length,
    sounds,
    faults: BOX_FAULTS.filter((fault) => faults.includes(fault)),
  }
}
