import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie } from 'hono/cookie'
import { type HttpEnv, incomingOf } from '../http/response/env.ts'
import { type ConsoleSession, mayAct, type Role } from '../operators/session.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { createSlices } from '../platform/lists/slices.ts'
import type { Logger } from '../platform/log.ts'
import { isOwnPost } from './origin.ts'
import { errorPage, forbiddenPage, notReadyPage, strangerPage } from './pages/entrance.ts'
import { shown } from './parts/shown.ts'
import {
  actorOf,
  type ChangeRoute,
  type Page,
  type PageRoute,
  type Parts,
  type Route,
} from './parts/visit.ts'
import { LANGS, type Lang } from './parts/words.ts'
import { createPages, type Pages, untilGone } from './routes/pages.ts'
import { PLACES } from './routes/routes.ts'
import { pagesInThread } from './thread/client.ts'

/** Bytes of a form. */
export const MOST_FORM = 64 * 1024

export interface AnswerDeps {
  /** Where people reach the console; undefined on loopback. */
  url: NonNullable<Config['console']>['url']
  /** Undefined while the storage is not open yet. */
  parts(): Parts | undefined
  /** Aborts when the hub stops: live pages end, and no other one begins. */
  stopping: AbortSignal
  /** Has `act` called before the storage closes. */
  closes(act: () => Promise<void>): void
  log: Logger
}

/** A request of somebody. */
export interface Visit extends Parts {
  c: Context<HttpEnv>
  lang: Lang
}

/** How the console answers: with a page, behind the guards of a request, for a person with a session in `cookie`. */
export function createAnswers(deps: AnswerDeps, cookie: string) {
  const { url, parts } = deps
  const slices = createSlices()
  const pagesOn = pagesOnce(deps)

  const show = (c: Context<HttpEnv>, page: Page, who?: ConsoleSession) =>
    shown(c, page, { lang: langOf(c), who, places: PLACES })

  const guarded = (answer: (visit: Visit) => Promise<Response>) => async (c: Context<HttpEnv>) => {
    const lang = langOf(c)
    if (c.req.method !== 'GET' && !isOwnPost(c, url)) return show(c, forbiddenPage(lang))
    const open = parts()
    if (!open) return show(c, notReadyPage(lang))
    try {
      return await answer({ ...open, c, lang })
    } catch (error) {
      if (!(error instanceof HubError) || error.kind === 'INTERNAL') throw error
      return show(c, errorPage(lang, error))
    }
  }

  async function resume({ c, sessions }: Visit) {
    const secret = getCookie(c, cookie)
    return secret === undefined ? undefined : sessions.resume(secret)
  }

  /** Answers a person who may use the route. */
  const entered = (role: Role, answer: (visit: Visit & { who: ConsoleSession }) => Promise<Response>) =>
    guarded(async (visit) => {
      const { c, lang } = visit
      const who = await resume(visit)
      if (!who) return show(c, strangerPage(lang))
      if (!mayAct(who.role, role)) return show(c, forbiddenPage(lang), who)
      return answer({ ...visit, who })
    })

  const looked = ({ role }: PageRoute) =>
    entered(role, async ({ c, lang, who, ...open }) => {
      const { method, url } = c.req.raw
      const encodings = c.req.header('accept-encoding') ?? ''
      const answered = await pagesOn(open).answer({ method, url, encodings, lang, who })
      return untilGone(answered, connectionOf(c))
    })

  function changed({ role, answer, mostBytes = MOST_FORM }: ChangeRoute) {
    const limited = bodyLimit({
      maxSize: mostBytes,
      onError: () => {
        throw new HubError('PAYLOAD_TOO_LARGE')
      },
    })
    return entered(role, async (visit) => {
      const { c, who, clock } = visit
      let found: Response | undefined
      // Only now: nobody else's file is taken.
      await limited(c, async () => {
        const answered = await answer({ ...visit, by: actorOf(who), now: clock.now(), slices })
        found = answered instanceof Response ? answered : await show(c, answered, who)
      })
      if (!found) throw new Error('a route answers')
      return found
    })
  }

  return {
    /** Answers with a page. */
    show,
    /** Guards a request: its origin, then the storage, then what `answer` needs. */
    guarded,
    /** The session of a request, if it has one. */
    resume,
    /** Answers a request of a route: only to a person who may use it. */
    routed: (route: Route) => (route.method === 'GET' ? looked(route) : changed(route)),
  }
}

/** The pages: made with the first visit, and once for all. */
function pagesOnce({ stopping, log, closes }: AnswerDeps) {
  let pages: Pages | undefined
  return (open: Parts): Pages => {
    if (pages) return pages
    const { place } = open.storage
    if (place) {
      const inThread = pagesInThread({ place, parts: open, log })
      closes(inThread.close)
      pages = inThread
    } else pages = createPages(open, log)
    stopping.addEventListener('abort', pages.stop)
    if (stopping.aborted) pages.stop()
    return pages
  }
}

/**
 * The end of the client's connection. That is all that tells of a closed page: the server waits for an answer that is under
 * way, and a stream has no end.
 */
const connectionOf = (c: Context<HttpEnv>) => (end: () => void) => {
  const socket = incomingOf(c)?.socket
  socket?.once('end', end)
  return () => void socket?.off('end', end)
}

export function isLang(text: unknown): text is Lang {
  return LANGS.some((lang) => lang === text)
}

/** What the person has chosen, or else what the browser prefers. */
function langOf(c: Context<HttpEnv>): Lang {
  const chosen = getCookie(c, 'lang')
  if (isLang(chosen)) return chosen
  const preferred = (c.req.header('accept-language') ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim().slice(0, 2))
  return preferred.find(isLang) ?? 'en'
}
