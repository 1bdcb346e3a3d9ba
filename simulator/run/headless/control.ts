import { createInterface } from 'node:readline'
import { type OperatorAction, performAction } from '../../speaker/actions.ts'
import { FAULTS, isFault } from '../../speaker/device/state/faults.ts'
import type { Speaker } from '../../speaker/speaker.ts'
import type { Line } from './headless.ts'

/** A parsed control line: an action on the speaker, or a request to the runner. */
export type Control = { kind: 'order'; order: OperatorAction } | { kind: 'snapshot' } | { kind: 'quit' }

/** All control lines, for error messages. */
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

/** Parses a control line; returns an error message as text. */
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
  return `"${line.trim()}" is not a control line: ${CONTROLS.join(', ')}`
}

/**
 * Performs control lines one after another. Resolves at `quit`. The end of the input does not, so that a script can
 * pipe in a few lines at the start.
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
