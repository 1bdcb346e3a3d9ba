import { parseJson } from '../shared/json.ts'
import { right, type Verdict, wrong } from '../shared/verdict.ts'
import type { PastedDelivery } from './read.ts'

/** Judges the body by itself. */
export function judgeBody({ id, body }: PastedDelivery): Verdict {
  if (body === undefined) return wrong('There is no body.')
  if (body === '') return wrong('It is empty.')
  const event = eventIn(body)
  const size = `${new TextEncoder().encode(body).length} bytes`
  if (event === undefined) return wrong(`${size} that are not JSON. Was a part of it lost?`)
  const { id: own, type } = event
  if (typeof own === 'string' && id && own !== id)
    return wrong(`It is of another event: its id is ${own}, and webhook-id is ${id}.`)
  return right(`${size} of JSON${typeof type === 'string' ? `, ${type}` : ''}.`)
}

/** Whether the body is an event as the hub writes it, and of this delivery. */
export function looksUntouched({ id, body = '' }: PastedDelivery): boolean {
  const event = eventIn(body)
  return event !== undefined && JSON.stringify(event) === body && event.id === id
}

/** The fields of a body; undefined when it is not JSON. */
function eventIn(body: string): Record<string, unknown> | undefined {
  const value = parseJson(body)
  return value === undefined ? undefined : { ...Object(value) }
}
