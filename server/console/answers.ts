import type { Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { getCookie } from 'hono/cookie'
import type { HttpEnv } from '../http/response/env.ts'
import { type ConsoleSession, mayAct } from '../operators/session.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { createSlices } from '../platform/lists/slices.ts'
import type { Logger } from '../platform/log.ts'
import type { Actor } from '../security/actor.ts'
import { POLICY } from '../site/asset.ts'
import { createLine, type Line } from './live/line.ts'
import { isOwnPost } from './origin.ts'
import { errorPage, forbiddenPage, notReadyPage, strangerPage } from './pages/entrance.ts'
import { wholePage } from './parts/page.ts'
import type { OwnVisit, Page, Parts, Route, Visit } from './parts/visit.ts'
import { LANGS, type Lang } from './parts/words.ts'
import { PLACES } from './routes.ts'

const PAGE_HEADERS = {
  'Content-Security-Policy': [
    ...POLICY.filter((rule) => !rule.startsWith('form-action')),
    ...["style-src 'self'", "connect-src 'self'", "form-action 'self'"],
    ...["require-trusted-types-for 'script'", 'trusted-types console'],
  ].join('; '),
  'Cross-Origin-Opener-Policy': 'same-origin',
  // With no-referrer, browsers send a form with `Origin: null`.
  'Referrer-Policy': 'same-origin',
}

/** Bytes of a form. */
export const MOST_FORM = 64 * 1024

export interface AnswerDeps {
  /** Where people reach the console; undefined on loopback. */
  url: NonNullable<Config['console']>['url']
  /** Undefined while the storage is not open yet. */
  parts(): Parts | undefined
  /** Aborts when the hub stops: live pages end, and no other one begins. */
  stopping: AbortSignal
  log: Logger
}

/** How the console answers: with a page, behind the guards of a request, for a person with a session in `cookie`. */
export function createAnswers({ url, parts, stopping, log }: AnswerDeps, cookie: string) {
  const slices = createSlices()
  const lineOf = lineAt(stopping, log)

  async function show(c: Context<HttpEnv>, page: Page, who?: ConsoleSession) {
    const { pathname, search } = new URL(c.req.url)
    // The switch of languages can't repeat a change: it leads to the list that the change belongs to.
    const place = PLACES.find(({ path: begin }) => begin !== '/' && pathname.startsWith(begin))
    const path = c.req.method === 'GET' ? `${pathname}${search}` : (place?.path ?? '/')
    const text = await wholePage(page, { lang: langOf(c), path, places: PLACES, who })
    return c.html(text, page.status ?? 200, PAGE_HEADERS)
  }

  const guarded = (answer: (visit: Visit) => Promise<Response>) => async (c: Context<HttpEnv>) => {
    const lang = langOf(c)
    if (c.req.method !== 'GET' && !isOwnPost(c, url)) return show(c, forbiddenPage(lang))
    const open = parts()
    if (!open) return show(c, notReadyPage(lang))
    try {
      return await answer({ ...open, line: lineOf(open), c, lang, now: open.clock.now(), slices })
    } catch (error) {
      if (!(error instanceof HubError) || error.kind === 'INTERNAL') throw error
      return show(c, errorPage(lang, error))
    }
  }

  async function resume({ c, sessions }: Visit) {
    const secret = getCookie(c, cookie)
    return secret === undefined ? undefined : sessions.resume(secret)
  }

  function routed({ role, answer, mostBytes = MOST_FORM }: Route) {
    const limited = bodyLimit({
      maxSize: mostBytes,
      onError: () => {
        throw new HubError('PAYLOAD_TOO_LARGE')
      },
    })
    return guarded(async (visit) => {
      const { c, lang } = visit
      const who = await resume(visit)
      if (!who) return show(c, strangerPage(lang))
      if (!mayAct(who.role, role)) return show(c, forbiddenPage(lang), who)
      const own: OwnVisit = { ...visit, who, by: actorOf(who) }
      let found: Response | undefined
      // Only now: nobody else's file is taken.
      await limited(c, async () => {
        const answered = await answer(own)
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
    routed,
  }
}

/** The live page: made with the first visit, and one for all. */
function lineAt(stopping: AbortSignal, log: Logger) {
  let line: Line | undefined
  return (open: Parts): Line => {
    if (line) return line
    line = createLine({ ...open, log })
    stopping.addEventListener('abort', line.stop)
    if (stopping.aborted) line.stop()
    return line
  }
}

export function actorOf({ name }: ConsoleSession): Actor {
  return { kind: 'operator', name, from: 'console' }
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
