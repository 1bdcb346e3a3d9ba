import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { ROUTES } from '../../../server/console/routes/routes.ts'
import { LINK_MS, mayAct, ROLES } from '../../../server/operators/session.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { startConsole } from '../../support/console.ts'
import { startTestHub } from '../../support/hub.ts'

const titleOf = async (answer: Response) => /<h1>(.*?)<\/h1>/.exec(await answer.text())?.[1]
const STRANGER = 'You are not logged in'
const SPENT = 'This link is not good any more'

/** An address of a route: its parameters are of nothing that there is. */
const addressOf = (path: string) => path.replaceAll(/:\w+(\{.*?\})?/g, 'none')

describe('a link', () => {
  it('shows a button, which logs in once; looking at it uses nothing up', async () => {
    const { stranger, link } = await startConsole()
    const secret = await link('minh', 'viewer')
    for (let look = 0; look < 3; look += 1)
      expect(await titleOf(await stranger.get(`/login?link=${secret}`))).toBe('Log in')
    const entered = await stranger.post('/login', { link: secret })
    expect([entered.status, entered.headers.get('location')]).toEqual([303, '/'])
    expect(entered.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Strict$/),
    ])
    const again = await stranger.post('/login', { link: secret })
    expect([again.status, await titleOf(again), again.headers.getSetCookie()]).toEqual([401, SPENT, []])
    expect(await titleOf(await stranger.get(`/login?link=${secret}`))).toBe(SPENT)
  })

  it('is good for a minute', async () => {
    const clock = createVirtualClock(Date.now())
    const { stranger, link } = await startConsole({ clock })
    const secret = await link('minh', 'viewer')
    await clock.wind(LINK_MS)
    expect(await titleOf(await stranger.post('/login', { link: secret }))).toBe(SPENT)
    expect(await titleOf(await stranger.post('/login', { link: 'x' }))).toBe(SPENT)
    expect(await titleOf(await stranger.post('/login'))).toBe(SPENT)
  })
})

describe('a session', () => {
  it('ends at the logout, and its cookie is worth nothing then', async () => {
    const { logIn, storage } = await startConsole()
    const minh = await logIn('viewer', 'minh')
    expect((await minh.get('/audit')).status).toBe(200)
    const out = await minh.post('/logout')
    expect(out.headers.getSetCookie()[0]).toMatch(/^console=; Max-Age=0/)
    expect((await minh.get('/audit')).status).toBe(401)
    const [newest] = await storage.audit.list({ limit: 1 })
    expect(newest).toMatchObject({ action: 'console.logout', actor: 'minh', details: { via: 'console' } })
  })
})

it('every route knows who may use it, and answers nobody else', async () => {
  const { stranger, logIn } = await startConsole()
  const people = await Promise.all(ROLES.map(async (role) => ({ role, browser: await logIn(role) })))
  for (const { method, path, role: needed } of ROUTES) {
    const at = addressOf(path)
    const unknown = method === 'GET' ? await stranger.get(at) : await stranger.post(at)
    expect([path, unknown.status, await titleOf(unknown)]).toEqual([path, 401, STRANGER])
    for (const { role, browser } of people) {
      const { status } = method === 'GET' ? await browser.get(at) : await browser.post(at)
      expect([path, role, status === 403]).toEqual([path, role, !mayAct(role, needed)])
    }
  }
})

describe('a request that changes something', () => {
  const OWN = { 'sec-fetch-site': 'same-origin' }
  it.each([
    ['without an origin', { origin: '' }],
    ['of a form without one', { origin: 'null' }],
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another port of this machine', { origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }],
    ['that the browser calls another one', { 'sec-fetch-site': 'cross-site' }],
    ['that the browser calls the same site only', { 'sec-fetch-site': 'same-site' }],
  ])('%s is refused', async (_, headers) => {
    const { logIn, stranger, link } = await startConsole()
    const minh = await logIn('admin')
    for (const path of [
      '/logout',
      '/language',
      ...ROUTES.filter(({ method }) => method === 'POST').map(({ path }) => addressOf(path)),
    ])
      expect([path, (await minh.post(path, {}, { ...OWN, ...headers })).status]).toEqual([path, 403])
    expect((await minh.get('/audit')).status).toBe(200)
    expect((await stranger.post('/login', { link: await link('minh', 'admin') }, headers)).status).toBe(403)
  })

  it('is taken from a browser that does not say from where', async () => {
    const { admin, link } = await startConsole()
    const body = new URLSearchParams({ link: await link('minh', 'admin') })
    const entered = await fetch(`${admin}/login`, {
      method: 'POST',
      body,
      headers: { origin: admin },
      redirect: 'manual',
    })
    expect(entered.status).toBe(303)
  })

  it('is refused above 64 KiB', async () => {
    const { stranger } = await startConsole()
    expect((await stranger.post('/login', { link: 'x'.repeat(64 * 1024) })).status).toBe(413)
  })
})

describe('behind a proxy with TLS', () => {
  const env = { HUB_CONSOLE_URL: 'https://console.example' }
  /** As the proxy asks. */
  function ask(url: string, method: string, headers: Record<string, string>, body = '') {
    return new Promise<{ status: number | undefined; cookie: string | undefined }>((resolve, reject) => {
      const sent = request(
        url,
        { method, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' } },
        (answer) =>
          resolve({ status: answer.resume().statusCode, cookie: answer.headers['set-cookie']?.[0] }),
      )
      sent.on('error', reject).end(body)
    })
  }

  it('the origin is that of the setting, and the cookie goes over TLS alone', async () => {
    const { admin, link } = await startConsole({ env })
    const secret = await link('minh', 'viewer')
    const from = (origin: string, host = 'console.example') =>
      ask(`${admin}/login`, 'POST', { host, origin }, `link=${secret}`)
    expect((await from('http://console.example')).status).toBe(403)
    expect((await from('https://console.example', 'other.example')).status).toBe(421)
    const { status, cookie } = await from('https://console.example')
    expect(status).toBe(303)
    expect(cookie).toMatch(
      /^__Host-console=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  it('there is no console elsewhere than on loopback without it', async () => {
    const { admin } = await startTestHub({ env: { HUB_ADMIN_HOST: '0.0.0.0' } })
    const at = admin.replace('0.0.0.0', '127.0.0.1')
    expect((await fetch(`${at}/audit`)).status).toBe(404)
    expect((await fetch(`${at}/metrics`)).status).toBe(200)
  })
})

describe('a page', () => {
  it('is in the language that the browser prefers, or that the person has chosen', async () => {
    const { stranger } = await startConsole()
    const langOf = async (headers: Record<string, string>) =>
      /<html lang="(..)">/.exec(await (await stranger.get('/audit', headers)).text())?.[1]
    expect(await langOf({})).toBe('en')
    expect(await langOf({ 'accept-language': 'fr, vi-VN;q=0.8, en;q=0.5' })).toBe('vi')
    expect(await langOf({ 'accept-language': 'vi', cookie: 'lang=en' })).toBe('en')
    const chosen = await stranger.post('/language', { lang: 'vi', to: '/audit?actor=x' })
    expect([chosen.status, chosen.headers.get('location')]).toEqual([303, '/audit?actor=x'])
    expect(chosen.headers.getSetCookie()[0]).toMatch(/^lang=vi; Max-Age=31536000; Path=\/; SameSite=Strict$/)
    for (const to of ['//evil.example', '/\\evil.example', 'https://evil.example', ''])
      expect((await stranger.post('/language', { lang: 'xx', to })).headers.get('location')).toBe('/')
  })

  it('takes nothing from elsewhere, and nobody frames it', async () => {
    const { logIn } = await startConsole()
    const { headers } = await (await logIn('viewer')).get('/audit')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
      'same-origin',
      'no-store',
    ])
  })

  it('leaves the figures and the health of the listener as they are', async () => {
    const { stranger } = await startConsole()
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      const answer = await stranger.get(path)
      expect([path, answer.status, answer.headers.get('referrer-policy')]).toEqual([path, 200, 'no-referrer'])
    }
    expect(await (await stranger.get('/nowhere')).json()).toMatchObject({ error: 'ROUTE_NOT_FOUND' })
  })
})

describe('the audit', () => {
  it('has a row for each change, filters them, and gives them as a file', async () => {
    const { logIn } = await startConsole()
    const minh = await logIn('viewer', '<b>minh</b>')
    const page = await (await minh.get('/audit')).text()
    expect(page).toContain('&lt;b&gt;minh&lt;/b&gt;')
    expect(page).not.toContain('<b>minh')
    const rows = (text: string) =>
      [...text.matchAll(/<code>(console\.\w+)<\/code>/g)].map(([, action]) => action)
    expect(rows(page)).toEqual(['console.login', 'console.link'])
    expect(rows(await (await minh.get('/audit?action=console.link')).text())).toEqual(['console.link'])
    expect(rows(await (await minh.get('/audit?actor=nobody')).text())).toEqual([])
    const file = await minh.get('/audit?action=console.link&as=csv')
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="audit.csv"')
    expect((await file.text()).split('\r\n').slice(1)).toEqual([
      expect.stringMatching(/^2\d{3}-.*Z,lan,command,console\.link,<b>minh<\/b>,"\{""role"":""viewer""\}"$/),
      '# rows,1',
      '',
    ])
  })

  it('goes on page by page', async () => {
    const { logIn, link } = await startConsole()
    const minh = await logIn('viewer')
    for (let many = 0; many < 60; many += 1) await link(`n${many}`, 'viewer')
    const page = await (await minh.get('/audit?actor=lan')).text()
    const next = /rel="next" href="(.*?)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(next).toMatch(/^\/audit\?actor=lan&before=\d+$/)
    const older = await (await minh.get(next)).text()
    expect([page.match(/<tr>/g)?.length, older.match(/<tr>/g)?.length]).toEqual([51, 12])
    expect(older).not.toContain('rel="next"')
  })
})
