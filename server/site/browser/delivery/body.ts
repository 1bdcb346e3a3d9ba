import { parseJson } from '../shared/json.ts'
import { say } from '../shared/say.ts'
import { right, type Verdict, wrong } from '../shared/verdict.ts'
import type { PastedDelivery } from './read.ts'

/** Judges the body by itself. */
export function judgeBody({ id, body }: PastedDelivery): Verdict {
  if (body === undefined) return wrong(say({ en: 'There is no body.', vi: 'Không có phần thân.' }))
  if (body === '') return wrong(say({ en: 'It is empty.', vi: 'Phần thân rỗng.' }))
  const event = eventIn(body)
  const size = new TextEncoder().encode(body).length
  if (event === undefined)
    return wrong(
      say({
        en: `${size} bytes that are not JSON. Was a part of it lost?`,
        vi: `${size} byte không phải là JSON. Có bị mất một phần không?`,
      }),
    )
  const { id: own, type } = event
  if (typeof own === 'string' && id && own !== id)
    return wrong(
      say({
        en: `It is of another event: its id is ${own}, and webhook-id is ${id}.`,
        vi: `Phần thân của sự kiện khác: id của nó là ${own}, còn webhook-id là ${id}.`,
      }),
    )
  const named = typeof type === 'string' ? `, ${type}` : ''
  return right(say({ en: `${size} bytes of JSON${named}.`, vi: `${size} byte dạng JSON${named}.` }))
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
