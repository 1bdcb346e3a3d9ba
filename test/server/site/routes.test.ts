import { request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'
import { startTestHub } from '../../support/hub.ts'

/** One for all: what it serves is made once. */
const api = createTestApi({ onEnd: afterAll, anonymousRate: { perSecond: 1_000, burst: 5_000 } })
const PAGES = ['/docs', '/docs/quickstart', '/docs/checksum', '/docs/webhooks']

/** What a page loads or links to, without its anchors. */
const linksOf = (page: string) =>
  [...page.matchAll(/(?:src|href)="([^"#]+)[^"]*"/g)].map(([, link]) => link ?? '')

/** Every module that a script loads, and those that they load. */
async function modulesFrom(scripts: string[]) {
  const found = [...new Set(scripts)]
  for (const script of found) {
    const text = await api.text(script)
    for (const [, name] of text.matchAll(/\b(?:from|import)\s*["'](\.[^"']+)["']/g)) {
      const path = new URL(name ?? '', `http://hub${script}`).pathname
      if (!found.includes(path)) found.push(path)
    }
  }
  return found
}

describe.each(PAGES)('the page %s', (path) => {
  it('is HTML in UTF-8, and its links and files exist on this hub', async () => {
    const { status, headers } = await api.request('GET', path)
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin')
    const links = linksOf(await api.text(path))
    expect(links).toEqual(expect.arrayContaining([...PAGES, '/openapi.json']))
    for (const link of links) {
      expect(link).toMatch(/^\/(?!\/)/)
      expect((await api.request('GET', link)).status, link).toBe(200)
    }
  })

  it('has a policy against foreign content, inline scripts and frames', async () => {
    const { headers } = await api.request('GET', path)
    const policy = new Map(
      (headers.get('Content-Security-Policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ')
        return [name, sources.join(' ')]
      }),
    )
    expect(Object.fromEntries(policy)).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'img-src': "'self' data:",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    })
    // Only the reference sends anything, and only to this hub; only Swagger UI styles inline.
    expect(policy.get('connect-src')).toBe(path === '/docs' ? "'self'" : undefined)
    expect(policy.get('style-src')).toBe(path === '/docs' ? "'self' 'unsafe-inline'" : "'self'")
  })

  it('has no inline script or style, and unique ids', async () => {
    const page = await api.text(path)
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i)
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    expect(ids).toEqual([...new Set(ids)])
  })

  it('is revalidated by its ETag, and not sent again while it is unchanged', async () => {
    const { headers } = await api.request('GET', path)
    expect(headers.get('Cache-Control')).toBe('no-cache')
    const etag = headers.get('ETag') ?? ''
    const again = await api.request('GET', path, { headers: { 'If-None-Match': etag } })
    expect(again.status).toBe(304)
    expect((await api.request('GET', path, { headers: { 'If-None-Match': '"older"' } })).status).toBe(200)
    expect((await createTestApi().request('GET', path)).headers.get('ETag')).toBe(etag)
  })
})

describe('the assets', () => {
  it('have their types, and nosniff', async () => {
    for (const [name, type] of [
      ['docs.css', 'text/css; charset=utf-8'],
      ['quickstart.js', 'text/javascript; charset=utf-8'],
      ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
      ['icon.svg', 'image/svg+xml; charset=utf-8'],
      ['checksum-vectors.json', 'application/json; charset=utf-8'],
    ]) {
      const { status, headers } = await api.request('GET', `/docs/assets/${name}`)
      expect(status).toBe(200)
      expect(headers.get('Content-Type')).toBe(type)
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
  })

  it('are scripts without types, whose imports are all served by the hub', async () => {
    const entries = ['quickstart', 'checksum', 'webhooks', 'reference'].map(
      (name) => `/docs/assets/${name}.js`,
    )
    const modules = await modulesFrom(entries)
    const shared = modules.filter((path) => !entries.includes(path))
    expect(shared).not.toEqual([])
    for (const path of shared) expect(path).toMatch(/^\/docs\/assets\/chunk-[A-Z0-9]{8}\.js$/)
    for (const path of modules) {
      expect((await api.request('GET', path)).status, path).toBe(200)
      expect(await api.text(path), path).not.toMatch(/import type|["']node:|\binterface /)
    }
  })

  it('load nothing from other hosts', async () => {
    const pages = await Promise.all(PAGES.map((path) => api.text(path)))
    const links = [...new Set(pages.flatMap(linksOf))].filter((link) => !link.includes('swagger-ui'))
    for (const path of await modulesFrom(links.filter((link) => link.endsWith('.js')))) {
      const code = (await api.text(path))
        .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
        // The reference reads this hub's own document.
        .replace('fetch("/openapi.json")', '')
      expect(code, path).not.toMatch(/https?:|\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon|import\(/)
    }
    for (const path of links.filter((link) => link.endsWith('.css')))
      expect(await api.text(path), path).not.toMatch(/url\(|@import/)
  })

  it.each([
    '/docs/assets/..%2fhttp.ts',
    '/docs/assets/..%2f..%2f..%2fpackage.json',
    '/docs/assets/%2e%2e%2fassets.ts',
    '/docs/assets/..%5chttp.ts',
    '/docs/assets/%2fetc%2fpasswd',
    '/docs/assets/docs.css%00.html',
    '/docs/assets/docs.css/',
    '/docs/assets//docs.css',
    '/docs/assets/',
    '/docs/assets/__proto__',
    '/docs/assets/constructor',
    '/docs/assets/bundle.js',
    '/docs/assets/quickstart.ts',
    '/docs/assets/DOCS.CSS',
  ])('are only those of the list: %s', async (path) => {
    const answer = await api.request('GET', path)
    expect(answer).toMatchObject({ status: 404, body: { code: 40400 } })
  })

  it.each([
    '/docs/assets/../../package.json',
    '/docs/../server/main.ts',
    '/docs/assets/../../../../../../etc/passwd',
    '/docs/assets/..\\..\\package.json',
    '/docs/assets/.',
  ])('cannot be escaped by a path that no client would send: %s', async (path) => {
    const hub = await startTestHub()
    const { hostname, port } = new URL(hub.http)
    const status = await new Promise((resolve, reject) => {
      request({ hostname, port, path }, (response) => resolve(response.resume().statusCode))
        .once('error', reject)
        .end()
    })
    expect([400, 404]).toContain(status)
  })

  it('can only be read', async () => {
    const answer = await api.request('POST', '/docs/assets/docs.css')
    expect(answer).toMatchObject({ status: 405, body: { code: 40500 } })
    expect(answer.headers.get('Allow')).toContain('GET')
  })
})

it('/ redirects to the quickstart', async () => {
  const { status, headers } = await api.request('GET', '/')
  expect(status).toBe(302)
  expect(headers.get('Location')).toBe('/docs/quickstart')
})
