import { manageSessions } from '../../../server/operators/manage-sessions.ts'
import type { Role } from '../../../server/operators/session.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'

export interface Answer {
  status: number
  /** Of a redirect. */
  location: string | null
  headers: Headers
  text: string
}

/** A person in the console: what a browser does with its pages, without scripts. */
export interface Person {
  get(path: string): Promise<Answer>
  /** Sends a form. */
  post(path: string, fields?: Record<string, string>): Promise<Answer>
  /** Sends a form, and goes where that leads. */
  change(path: string, fields?: Record<string, string>): Promise<Answer>
}

/** Logs a person in to the console of a hub. */
export async function logIn(
  hub: { admin: string; storage: Storage },
  role: Role,
  { name = `${role} Minh`, lang = 'en' } = {},
): Promise<Person> {
  const { operators } = hub.storage
  const sessions = manageSessions({ operators, clock: systemClock, ids: createRandomIds() })
  const link = await sessions.makeLink(OPERATOR, { name, role })
  const base = new URL(hub.admin).origin
  let cookie = ''
  async function send(path: string, init: RequestInit = {}): Promise<Answer> {
    const headers = { cookie, 'accept-language': lang, origin: base, ...init.headers }
    const answer = await fetch(`${base}${path}`, { redirect: 'manual', ...init, headers })
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? cookie
    const { status, headers: answered } = answer
    return { status, location: answered.get('location'), headers: answered, text: await answer.text() }
  }
  const get = (path: string) => send(path)
  const post = (path: string, fields: Record<string, string> = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields) })
  await post('/login', { link })
  return {
    get,
    post,
    async change(path, fields) {
      const answer = await post(path, fields)
      if (answer.status !== 303 || answer.location === null)
        throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
      return get(answer.location)
    },
  }
}
