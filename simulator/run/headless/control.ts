import { createInterface } from 'node:readline'
import { type OperatorAction, performAction } from '../../speaker/actions.ts'
import { FAULTS, isFault } from '../../speaker/device/state/faults.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { Line } from './headless.ts'

/** An order as a script writes it, read: for the speaker, or for whoever runs it. */
export type Control = { kind: 'order'; order: OperatorAction } | { kind: 'snapshot' } | { kind: 'quit' }

/** All there is to write, for whoever wrote something else. */
export const CONTROLS = [
  'power off|on',
  'network cut|plug',
  'fault NAME on|off',
  'volume 0..100',
  'language vi|en',
  'reconnect',
  'dismiss',
  'snapshot',
  'quit',
]

/** Reads one line of words; answers what is wrong with it as text. */
export function parseControl(line: string): Control | string {
  const words = line.trim().split(/\s+/)
  const [verb, first, second] = words
  switch (`${verb} ${words.length - 1}`) {
    case 'power 1':
      if (first === 'on' || first === 'off') return order({ do: 'power', on: first === 'on' })
      break
    case 'network 1':
      if (first === 'cut' || first === 'plug') return order({ do: 'network', on: first === 'plug' })
      break
    case 'fault 2':
      if (first === undefined || !isFault(first)) return `there is no fault "${first}": ${FAULTS.join(', ')}`
      if (second === 'on' || second === 'off')
        return order({ do: 'fault', fault: first, on: second === 'on' })
      break
    case 'volume 1':
      if (first !== undefined && /^\d{1,2}$|^100$/.test(first))
        return order({ do: 'adjust', change: { volume: Number(first) } })
      break
    case 'language 1':
      if (first === 'vi' || first === 'en') return order({ do: 'adjust', change: { lang: first } })
      break
    case 'reconnect 0':
      return order({ do: 'reconnect' })
    case 'dismiss 0':
      return order({ do: 'dismiss' })
    case 'snapshot 0':
      return { kind: 'snapshot' }
    case 'quit 0':
      return { kind: 'quit' }
  }
  return `"${line.trim()}" is no order: ${CONTROLS.join(', ')}`
}

/**
 * Carries out what is written, line by line, each when the one before is done. Resolves when it is told to quit;
 * an end of the input changes nothing, so that a few orders can be piped in at the start.
 */
export async function runControl(
  speaker: Speaker,
  input: NodeJS.ReadableStream,
  { print, signal }: { print: (line: Line) => void; signal: AbortSignal },
): Promise<undefined> {
  for await (const line of createInterface({ input, signal })) {
    if (line.trim() === '') continue
    const control = parseControl(line)
    if (typeof control === 'string') print({ event: 'error', message: control })
    else if (control.kind === 'order') await performAction(speaker, control.order)
    else if (control.kind === 'snapshot') print({ event: 'snapshot', ...speaker.snapshot() })
    else return undefined
  }
  return new Promise(() => {})
}

function order(given: OperatorAction): Control {
  return { kind: 'order', order: given }
}
