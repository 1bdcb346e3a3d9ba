import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'

/** One for all: what it serves is made once. */
const api = createTestApi({ onEnd: afterAll, anonymousRate: { perSecond: 1_000, burst: 5_000 } })
const PACK = new URL('../../../simulator/sound/pack/', import.meta.url)

/** The files that the service worker keeps. */
async function keptFiles(): Promise<string[]> {
  const worker = await api.text('/speaker/service-worker.js')
  return JSON.parse(/^const FILES = (.+)$/m.exec(worker)?.[1] ?? '')
}

describe('the page of a speaker', () => {
  it('has a policy against everything foreign and inline, and links only to files of this hub', async () => {
    const { status, headers } = await api.request('GET', '/speaker')
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; style-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'",
    )
    expect(headers.get('Permissions-Policy')).toContain('microphone=()')
    const page = await api.text('/speaker')
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=|javascript:/i)
    for (const [, link] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      expect(link).toMatch(/^\/(?!\/)/)
      expect((await api.request('GET', link ?? '')).status, link).toBe(200)
    }
  })

  it('is revalidated by its ETag, as each of its files', async () => {
    for (const path of await keptFiles()) {
      const { headers, status } = await api.request('GET', path)
      expect(status, path).toBe(200)
      expect(headers.get('Cache-Control'), path).toBe('no-cache')
      const etag = headers.get('ETag') ?? ''
      const again = await api.request('GET', path, { headers: { 'If-None-Match': etag } })
      expect(again.status, path).toBe(304)
    }
  })

  it('keeps what it needs without network, and nothing of the API', async () => {
    const files = await keptFiles()
    expect(files).toEqual(
      expect.arrayContaining(
        ['', '/speaker.js', '/speaker.css', '/clips.json', '/manifest.webmanifest', '/icon-192.png'].map(
          (name) => `/speaker${name}`,
        ),
      ),
    )
    for (const path of files) expect(path).toMatch(/^\/speaker(\/[\w.-]+)?$/)
    const { headers } = await api.request('GET', '/speaker/service-worker.js')
    expect(headers.get('Service-Worker-Allowed')).toBe('/speaker')
    expect(headers.get('Content-Security-Policy')).toBe("default-src 'none'; connect-src 'self'")
  })

  it('can be installed: its manifest names icons of the sizes that they have', async () => {
    const { headers } = await api.request('GET', '/speaker/manifest.webmanifest')
    expect(headers.get('Content-Type')).toBe('application/manifest+json; charset=utf-8')
    const { icons, start_url } = JSON.parse(await api.text('/speaker/manifest.webmanifest'))
    expect(start_url).toBe('/speaker')
    for (const { src, sizes } of icons) {
      const answer = await api.fetch(new Request(`http://hub${src}`))
      const png = Buffer.from(await answer.arrayBuffer())
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes)
    }
  })

  it('has every clip of the pack, byte by byte', async () => {
    const clips = JSON.parse(await api.text('/speaker/clips.json'))
    expect(Object.keys(clips).sort()).toEqual(['en', 'vi'])
    for (const [language, files] of Object.entries<Record<string, string>>(clips)) {
      const names = readdirSync(new URL(language, PACK)).filter((name) => name.endsWith('.wav'))
      expect(Object.keys(files).sort()).toEqual(names.map((name) => name.slice(0, -4)).sort())
      for (const [clip, text] of Object.entries(files))
        expect(
          Buffer.from(text, 'base64url').equals(readFileSync(new URL(`${language}/${clip}.wav`, PACK))),
        ).toBe(true)
    }
  })

  it('is one script without types and without Node.js, which loads nothing from elsewhere', async () => {
    const script = await api.text('/speaker/speaker.js')
    expect(script).not.toMatch(/from ?['"]node:|require\(['"]node:/)
    expect(script).not.toMatch(/import\(['"]https?:/)
  })

  it.each(['/speaker/', '/speaker/..%2fhttp.ts', '/speaker/files.ts', '/speaker/__proto__', '/speakers'])(
    'serves no other file: %s',
    async (path) => {
      expect(await api.request('GET', path)).toMatchObject({ status: 404, body: { code: 40400 } })
    },
  )
})
