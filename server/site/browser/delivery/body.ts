import type { Finding } from './finding.ts'
import type { PastedDelivery } from './read.ts'

/** What the body tells by itself. */
export function judgeBody({ id, body }: PastedDelivery): Finding {
  const found = (grade: Finding['grade'], says: string): Finding => ({ about: 'Body', grade, says })
  if (body === undefined) return found('wrong', 'There is no body.')
  if (body === '') return found('wrong', 'It is empty.')
  const event = parse(body)
  const size = `${new TextEncoder().encode(body).length} bytes`
  if (event === undefined) return found('wrong', `${size} that are not JSON. Was a part of it lost?`)
  const { id: own, type } = event
  if (typeof own === 'string' && id !== undefined && id !== '' && own !== id)
    return found('wrong', `It is of another event: its id is ${own}, and webhook-id is ${id}.`)
  return found('right', `${size} of JSON${typeof type === 'string' ? `, ${type}` : ''}.`)
}

/** Whether the body is an event as the hub writes it, and of this delivery. */
export function looksUntouched({ id, body }: PastedDelivery): boolean {
  if (body === undefined) return false
  const event = parse(body)
  return event !== undefined && JSON.stringify(event) === body && event.id === id
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return undefined
  }
}
