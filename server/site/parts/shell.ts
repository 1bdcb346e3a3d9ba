import {
  LANGUAGE_CODES,
  LANGUAGES,
  type Language,
  type Say,
  sayIn,
  type Words,
} from '../../platform/language/words.ts'
import { type Html, html } from './html.ts'

export type PagePath = '/docs' | '/docs/quickstart' | '/docs/checksum' | '/docs/webhooks'

/** What a page is made for. */
export interface Reader {
  language: Language
  /** Whether the address names the language: then the links to other pages name it, too. */
  named: boolean
}

/** A page in the language of `say`. */
export interface Page {
  title: string
  /** A sentence for search engines and previews. */
  description: string
  /** Names under /docs/assets. */
  styles: string[]
  /** Names under /docs/assets. All are modules except bundles. */
  scripts: string[]
  body: Html
}

const LINKS: readonly { path: string; text: Words }[] = [
  { path: '/docs/quickstart', text: { en: 'Quickstart', vi: 'Bắt đầu nhanh' } },
  { path: '/docs/checksum', text: { en: 'Checksum', vi: 'Checksum' } },
  { path: '/docs/webhooks', text: { en: 'Webhooks', vi: 'Webhook' } },
  { path: '/docs', text: { en: 'API reference', vi: 'Tra cứu API' } },
  { path: '/openapi.json', text: { en: 'OpenAPI file', vi: 'Tệp OpenAPI' } },
]

const script = (name: string) =>
  name.endsWith('-bundle.js')
    ? html`<script src="/docs/assets/${name}" defer></script>`
    : html`<script src="/docs/assets/${name}" type="module"></script>`

/** The switch: a link to this page in each language. */
function languageSwitch(path: PagePath, current: Language, say: Say): Html {
  const links = LANGUAGE_CODES.map(
    (language) =>
      html`<a href="${path}?lang=${language}" lang="${language}" hreflang="${language}"${language === current ? html` aria-current="true"` : ''}>${LANGUAGES[language]}</a>`,
  )
  return html`<nav class="languages" aria-label="${say({ en: 'Language', vi: 'Ngôn ngữ' })}">${links}</nav>`
}

/** A whole page: the shared head and header around its body. */
export async function pageText(
  path: PagePath,
  { language, named }: Reader,
  { title, description, styles, scripts, body }: Page,
): Promise<string> {
  const say = sayIn(language)
  const links = LINKS.map(
    (link) =>
      html`<a href="${link.path}"${link.path === path ? html` aria-current="page"` : ''}>${say(link.text)}</a>`,
  )
  const shown = html`<body>
<a class="skip" href="#content">${say({ en: 'Skip to the content', vi: 'Đến thẳng nội dung' })}</a>
<header class="top">
  <a class="brand" href="/docs/quickstart"><img src="/docs/assets/icon.svg" alt="" width="28" height="28"><span>Soundbox Hub</span><span class="brand-tag">${say({ en: 'Docs', vi: 'Tài liệu' })}</span></a>
  <nav class="pages" aria-label="${say({ en: 'Documentation', vi: 'Tài liệu' })}">${links}</nav>
  ${languageSwitch(path, language, say)}
</header>
${body}
</body>`
  const head = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} · Soundbox Hub</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
${LANGUAGE_CODES.map((other) => html`<link rel="alternate" hreflang="${other}" href="${path}?lang=${other}">\n`)}<link rel="alternate" hreflang="x-default" href="${path}">
${['docs.css', ...styles].map((name) => html`<link rel="stylesheet" href="/docs/assets/${name}">\n`)}
<noscript><link rel="stylesheet" href="/docs/assets/without-scripts.css"></noscript>
${scripts.map(script)}
</head>`
  const text = (await shown).toString()
  return `${await head}\n${named ? withLanguage(text, language) : text}\n</html>\n`
}

/** Links between the pages keep the language. It is done here, once, so that no link can forget it. */
function withLanguage(text: string, language: Language): string {
  return text.replace(/(<a\b[^>]*\shref="\/docs(?:\/[a-z]+)?)(?=["#])/g, `$1?lang=${language}`)
}
