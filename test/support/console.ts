import { manageSessions } from '../../server/operators/manage-sessions.ts'
import type { Role } from '../../server/operators/session.ts'
import { systemClock } from '../../server/platform/clock.ts'
import { createRandomIds } from '../../server/platform/ids.ts'
import { OPERATOR } from './actors.ts'
import { startTestHub, type TestHub } from './hub.ts'

/** Somebody's browser at the console, as far as it matters: it has a cookie, and says where a form comes from. */
export interface Browser {
  get(path: string, headers?: Record<string, string>): Promise<Response>
  /** A FormData goes as multipart. */
  post(
    path: string,
    fields?: Record<string, string> | FormData,
    headers?: Record<string, string>,
  ): Promise<Response>
}

/** A hub with its console, and browsers of people in it. */
export async function startConsole(options: Parameters<typeof startTestHub>[0] = {}) {
  const hub = await startTestHub(options)
  return { ...hub, ...browsersAt(hub, options?.clock) }
}

export function browsersAt({ admin, storage }: Pick<TestHub, 'admin' | 'storage'>, clock = systemClock) {
  const sessions = manageSessions({ operators: storage.operators, clock, ids: createRandomIds() })
  const link = (name: string, role: Role) => sessions.makeLink(OPERATOR, { name, role })

  function browser(cookie = ''): Browser {
    const ask = (path: string, init: RequestInit) =>
      fetch(admin + path, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } })
    return {
      get: (path, headers = {}) => ask(path, { headers }),
      post: (path, fields = {}, headers = {}) =>
        ask(path, {
          method: 'POST',
          body: fields instanceof FormData ? fields : new URLSearchParams(fields),
          headers: { origin: admin, 'sec-fetch-site': 'same-origin', ...headers },
        }),
    }
  }

  return {
    link,
    /** The browser of a stranger. */
    stranger: browser(),
    /** The browser of a person who has logged in. */
    async logIn(role: Role, name = `a ${role}`): Promise<Browser> {
      const answer = await browser().post('/login', { link: await link(name, role) })
      return browser(answer.headers.getSetCookie()[0]?.split(';')[0])
    },
  }
}
