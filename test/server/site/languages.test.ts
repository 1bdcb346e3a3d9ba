import { globSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestApi } from '../../support/api.ts'
import { badTranslations, hardCoded, textsOf, untranslated } from '../../support/languages.ts'

const api = createTestApi({ onEnd: afterAll, anonymousRate: { perSecond: 1_000, burst: 5_000 } })
const PAGES = ['/docs', '/docs/quickstart', '/docs/checksum', '/docs/webhooks']
const sources = globSync('server/**/*.ts').map((path) => ({ path, text: readFileSync(path, 'utf8') }))
const translated = sources.filter(({ text }) => /language\/words\.ts|shared\/say\.ts/.test(text))
const scripts = sources.filter(({ path }) => path.startsWith('server/site/browser/'))

/** Literals of the scripts that no reader sees: keys of a keyboard and of events, headers, names for the program. */
const DATA = [
  /^(Home|End|Secret|Body|Models|Parameters)$/,
  /^(id|storeId|paymentId|deviceSerial) /,
  /^(Host|Content-Type): /,
  /^\(prefers-color-scheme: dark\)$/,
]

describe.each(PAGES)('the page %s', (path) => {
  const get = (query: string, accepted?: string) =>
    api.request(
      'GET',
      path + query,
      accepted === undefined ? {} : { headers: { 'Accept-Language': accepted } },
    )
  const languageOf = (page: string) => /<html lang="(\w+)">/.exec(page)?.[1]

  it('has no text without a translation', async () => {
    const [vi, en] = [await api.text(`${path}?lang=vi`), await api.text(`${path}?lang=en`)].map(textsOf)
    expect(vi?.length).toBeGreaterThan(20)
    expect(untranslated(vi ?? [], en ?? [])).toEqual([])
  })

  it.each([
    { query: '?lang=vi', accepted: 'en', language: 'vi' },
    { query: '?lang=en', accepted: 'vi', language: 'en' },
    { query: '', accepted: undefined, language: 'en' },
    { query: '', accepted: 'vi-VN,vi;q=0.9,en;q=0.8', language: 'vi' },
    { query: '', accepted: 'en-GB, vi;q=0.5', language: 'en' },
    { query: '', accepted: 'fr, en;q=0.2, vi;q=0.5', language: 'vi' },
    { query: '', accepted: 'vi;q=0', language: 'en' },
    { query: '', accepted: 'de, *', language: 'en' },
    { query: '?lang=de', accepted: 'vi', language: 'vi' },
  ])('is in $language by "$query" and Accept-Language "$accepted"', async ({ query, accepted, language }) => {
    const { text, headers } = await get(query, accepted)
    expect(languageOf(text)).toBe(language)
    expect(headers.get('Content-Language')).toBe(language)
    // Only where the address leaves the language open may a cache not give one answer to all.
    const vary = headers.get('Vary')?.includes('Accept-Language') ?? false
    expect(vary).toBe(!/lang=(en|vi)/.test(query))
  })

  it('has a switch, which stays on the page, and tells search engines of both', async () => {
    for (const query of ['', '?lang=vi', '?lang=en']) {
      const { text } = await get(query)
      const [nav = ''] = /<nav class="languages"[\s\S]*?<\/nav>/.exec(text) ?? []
      const links = [...nav.matchAll(/href="([^"]*)" lang="(\w+)"/g)].map(([, href, lang]) => [lang, href])
      expect(links).toEqual([
        ['en', `${path}?lang=en`],
        ['vi', `${path}?lang=vi`],
      ])
      expect(/lang="(\w+)"[^>]* aria-current="true"/.exec(nav)?.[1]).toBe(languageOf(text))
      const alternates = [...text.matchAll(/rel="alternate" hreflang="([^"]*)" href="([^"]*)"/g)]
      expect(alternates.map(([, lang, href]) => [lang, href])).toEqual([...links, ['x-default', path]])
    }
  })

  it('has links to the other pages that keep the language which its address names', async () => {
    const between = (text: string) =>
      [...text.matchAll(/<a\b[^>]*\shref="(\/docs[^"]*)"/g)]
        .map(([, href = '']) => href)
        .filter((href) => !/^\/docs\/assets|lang=en$|lang=vi$/.test(href))
    const named = [...(await get('?lang=vi')).text.matchAll(/<a\b[^>]*\shref="(\/docs[^"]*)"/g)]
    const pages = named.map(([, href = '']) => href).filter((href) => !href.startsWith('/docs/assets'))
    for (const href of pages.filter((one) => one !== `${path}?lang=en`))
      expect(href).toMatch(/\?lang=vi(#|$)/)
    expect(between((await get('')).text).length).toBeGreaterThanOrEqual(PAGES.length)
    for (const href of between((await get('')).text)) expect(href).not.toContain('lang=')
  })

  it('is revalidated in each language by itself', async () => {
    const [vi, en] = [
      (await get('?lang=vi')).headers.get('ETag'),
      (await get('?lang=en')).headers.get('ETag'),
    ]
    expect(vi).not.toBe(en)
    const again = (etag: string | null, accepted: string) =>
      api.request('GET', path, { headers: { 'If-None-Match': etag ?? '', 'Accept-Language': accepted } })
    const bare = (await get('', 'vi')).headers.get('ETag')
    expect((await again(bare, 'vi')).status).toBe(304)
    expect((await again(bare, 'vi')).headers.get('Vary')).toContain('Accept-Language')
    expect((await again(bare, 'en')).status).toBe(200)
  })
})

it.each(translated)('the translations keep code, links and numbers: $path', ({ text }) => {
  expect(badTranslations(text)).toEqual([])
})

it.each(scripts)('a script says nothing in one language only: $path', ({ text }) => {
  expect(hardCoded(text).filter((literal) => !DATA.some((data) => data.test(literal)))).toEqual([])
})

describe('what was forgotten is found:', () => {
  it.each([
    { what: 'a heading', vi: '<h2>The rule</h2>', en: '<h2>The rule</h2>' },
    {
      what: 'a sentence behind code',
      vi: '<p><code>x</code> is it.</p>',
      en: '<p><code>x</code> is it.</p>',
    },
    { what: 'another English sentence', vi: '<p>There it says what it is.</p>', en: '<p>It says so.</p>' },
    {
      what: 'a label',
      vi: '<nav aria-label="On this page"></nav>',
      en: '<nav aria-label="On this page"></nav>',
    },
    { what: 'a placeholder', vi: '<input placeholder="not yet">', en: '<input placeholder="not yet">' },
    {
      what: 'the description',
      vi: '<meta name="description" content="A page.">',
      en: '<meta name="description" content="A page.">',
    },
  ])('in a page, $what', ({ vi, en }) => {
    expect(untranslated(textsOf(vi), textsOf(en))).toHaveLength(1)
  })

  it.each([
    { what: 'the same twice', source: "say({ en: 'Copy', vi: 'Copy' })" },
    {
      what: 'English for Vietnamese',
      source: "say({ en: 'It is wrong.', vi: 'That is not right at all.' })",
    },
    { what: 'other code', source: 'say({ en: html`<code>a</code> goes`, vi: html`<code>b</code> được` })' },
    { what: 'another number', source: "say({ en: 'after 15 s', vi: 'sau 16 giây' })" },
    { what: 'another link', source: 'say({ en: html`<a href="/a">a</a>`, vi: html`<a href="/b">đây</a>` })' },
  ])('in a source, $what', ({ source }) => {
    expect(badTranslations(source)).toHaveLength(1)
  })

  it.each([
    "button.textContent = 'Copied'",
    "return wrong('There is no body.')",
    'right(`its bytes in base64`)',
    "element('mark', 'end', 'the end')",
    "say({ en: 'Copied', vi: 'Đã chép' }); box.title = 'Select and copy'",
  ])('in a script: %s', (source) => {
    expect(hardCoded(source)).toHaveLength(1)
  })
})
