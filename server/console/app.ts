import type { Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { etag } from 'hono/etag'
import type { HttpEnv } from '../http/response/env.ts'
import { type ConsoleSession, LONGEST_MS, mayAct } from '../operators/session.ts'
import type { Config } from '../platform/config.ts'
import { HubError } from '../platform/errors.ts'
import { createSlices } from '../platform/lists/slices.ts'
import type { Actor } from '../security/actor.ts'
import { POLICY, send } from '../site/asset.ts'
import { consoleAssets } from './assets.ts'
import { isOwnPost } from './origin.ts'
import {
  errorPage,
  forbiddenPage,
  loginPage,
  notReadyPage,
  spentPage,
  strangerPage,
} from './pages/entrance.ts'
import { wholePage } from './parts/page.ts'
import type { OwnVisit, Page, Parts, Route, Visit } from './parts/visit.ts'
import { LANGS, type Lang } from './parts/words.ts'
import { PLACES, ROUTES } from './routes.ts'

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
const MOST_FORM = 64 * 1024
const YEAR_S = 365 * 24 * 60 * 60

interface ConsoleDeps {
  /** Where people reach the console; undefined on loopback. */
  url: NonNullable<Config['console']>['url']
  /** Undefined while the storage is not open yet. */
  parts(): Parts | undefined
}

/**
 * Adds the operators' console to the app of their listener. A person logs in by a link; every page of another one is the
 * same one, which says how to get in.
 */
export function addConsole(app: Hono<HttpEnv>, { url, parts }: ConsoleDeps) {
  const isSecure = url !== undefined
  const cookie = isSecure ? '__Host-console' : 'console'
  const cookieOptions = { httpOnly: true, sameSite: 'Strict', secure: isSecure, path: '/' } as const
  const assets = consoleAssets()
  const slices = createSlices()

  /** Answers with a page. */
  async function show(c: Context<HttpEnv>, page: Page, who?: ConsoleSession) {
    const { pathname, search } = new URL(c.req.url)
    const path = c.req.method === 'GET' ? `${pathname}${search}` : '/'
    const text = await wholePage(page, { lang: langOf(c), path, places: PLACES, who })
    return c.html(text, page.status ?? 200, PAGE_HEADERS)
  }

  /** Guards a request: its origin, then the storage, then what `answer` needs. */
  const guarded = (answer: (visit: Visit) => Promise<Response>) => async (c: Context<HttpEnv>) => {
    const lang = langOf(c)
    if (c.req.method !== 'GET' && !isOwnPost(c, url)) return show(c, forbiddenPage(lang))
    const open = parts()
    if (!open) return show(c, notReadyPage(lang))
    try {
      return await answer({ ...open, c, lang, now: open.clock.now(), slices })
    } catch (error) {
      if (!(error instanceof HubError) || error.kind === 'INTERNAL') throw error
      return show(c, errorPage(lang, error))
    }
  }

  const resume = async ({ c, sessions }: Visit) => {
    const secret = getCookie(c, cookie)
    return secret === undefined ? undefined : sessions.resume(secret)
  }

  const routed = ({ role, answer, mostBytes = MOST_FORM }: Route) => {
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

  app.use('/assets/*', compress(), etag())
  app.use('/', compress())
  app.get('/assets/:name', async (c) => send(c, (await assets()).get(c.req.param('name'))))

  app.get(
    '/login',
    guarded(async ({ c, lang, sessions }) => {
      const link = c.req.query('link') ?? ''
      return show(c, (await sessions.isLinkGood(link)) ? loginPage(lang, link) : spentPage(lang))
    }),
  )
  const form = bodyLimit({ maxSize: MOST_FORM })
  app.post(
    '/login',
    form,
    guarded(async ({ c, lang, sessions }) => {
      const { link } = await c.req.parseBody()
      const begun = typeof link === 'string' ? await sessions.logIn(link) : undefined
      if (!begun) return show(c, spentPage(lang))
      setCookie(c, cookie, begun.secret, { ...cookieOptions, maxAge: LONGEST_MS / 1_000 })
      return c.redirect('/', 303)
    }),
  )
  app.post(
    '/logout',
    form,
    guarded(async (visit) => {
      const who = await resume(visit)
      if (who) await visit.sessions.end(actorOf(who), who.id)
      deleteCookie(visit.c, cookie, cookieOptions)
      return show(visit.c, strangerPage(visit.lang))
    }),
  )
  app.post(
    '/language',
    form,
    guarded(async ({ c }) => {
      const { lang, to } = await c.req.parseBody()
      if (isLang(lang))
        setCookie(c, 'lang', lang, { sameSite: 'Strict', secure: isSecure, path: '/', maxAge: YEAR_S })
      return c.redirect(typeof to === 'string' && /^\/(?![/\\])/.test(to) ? to : '/', 303)
    }),
  )
  for (const route of ROUTES)
    if (route.method === 'GET') app.get(route.path, routed(route))
    else app.post(route.path, routed(route))
}

function actorOf({ name }: ConsoleSession): Actor {
  return { kind: 'operator', name, from: 'console' }
}

function isLang(text: unknown): text is Lang {
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
