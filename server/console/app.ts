import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, setCookie } from 'hono/cookie'
import { etag } from 'hono/etag'
import { type BareAppDeps, createBareApp } from '../app/app.ts'
import { addressBehind } from '../http/response/env.ts'
import { LONGEST_MS } from '../operators/session.ts'
import { NO_PROXY } from '../platform/net/address.ts'
import { send } from '../site/asset.ts'
import { type AnswerDeps, createAnswers, isLang, MOST_FORM } from './answers.ts'
import { consoleAssets } from './assets.ts'
import { loginPage, spentPage, strangerPage } from './pages/entrance.ts'
import { actorOf } from './parts/visit.ts'
import { ROUTES } from './routes/routes.ts'

const YEAR_S = 365 * 24 * 60 * 60

export type ConsoleDeps = AnswerDeps & BareAppDeps

/**
 * The operators' console, as an app. A person logs in by a link; every page of another one is the same one, which says how
 * to get in.
 */
export function createConsole(deps: ConsoleDeps) {
  const app = createBareApp(deps, addressBehind(NO_PROXY))
  const isSecure = deps.url !== undefined
  const cookie = isSecure ? '__Host-console' : 'console'
  const cookieOptions = { httpOnly: true, sameSite: 'Strict', secure: isSecure, path: '/' } as const
  const { show, guarded, resume, routed } = createAnswers(deps, cookie)
  const assets = consoleAssets()

  app.use('/assets/*', compress(), etag())
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
  return app
}
