import type { Message } from '../../../../server/console/live/message.ts'
import { manageSessions } from '../../../../server/operators/manage-sessions.ts'
import type { Role } from '../../../../server/operators/session.ts'
import { type Clock, systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import type { Storage } from '../../../../server/storage/ports.ts'
import { OPERATOR } from '../../../support/actors.ts'

export const sessionsOf = ({ operators }: Pick<Storage, 'operators'>, clock: Clock = systemClock) =>
  manageSessions({ operators, clock, ids: createRandomIds() })

/** Logs somebody in. The returned function asks for a path. */
export async function viewerOf(
  { admin, storage }: { admin: string; storage: Storage },
  { role = 'viewer', lang = 'en', clock = systemClock }: { role?: Role; lang?: string; clock?: Clock } = {},
) {
  const link = await sessionsOf(storage, clock).makeLink(OPERATOR, { name: 'Minh', role })
  const entered = await fetch(`${admin}/login`, {
    ...{ method: 'POST', redirect: 'manual', headers: { origin: admin } },
    body: new URLSearchParams({ link }),
  })
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  const headers = { cookie, origin: admin, 'accept-language': lang }
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${admin}${path}`, { redirect: 'manual', ...init, headers: { ...headers, ...init.headers } })
  return Object.assign(ask, { cookie })
}

/** What a stream says: its messages, and the names of its other events with their data. */
export interface Heard {
  messages: Message[]
  events: string[]
  /** Lines that only keep the connection open. */
  beats: number
  isOver: boolean
}

/** Reads a stream of server-sent events to its end. */
export function hear(body: ReadableStream<Uint8Array> | null): Heard {
  const heard: Heard = { messages: [], events: [], beats: 0, isOver: false }
  let rest = ''
  const take = (block: string) => {
    if (block === ':') heard.beats += 1
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1]
    const [event, data] = [field('event'), field('data')]
    if (event !== undefined) heard.events.push(`${event} ${data}`.trim())
    else if (data !== undefined) heard.messages.push(JSON.parse(data))
  }
  async function read() {
    const text = body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    for await (const chunk of text ?? []) {
      const blocks = `${rest}${chunk}`.split('\n\n')
      rest = blocks.pop() ?? ''
      blocks.forEach(take)
    }
  }
  const ended = () => {
    heard.isOver = true
  }
  read().then(ended, ended)
  return heard
}
