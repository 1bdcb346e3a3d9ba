import { type Html, html } from './html.ts'

export interface Page {
  path: '/docs' | '/docs/quickstart' | '/docs/checksum' | '/docs/webhooks'
  title: string
  /** A sentence for search engines and previews. */
  description: string
  /** Names under /docs/assets. */
  styles: string[]
  /** Names under /docs/assets. All are modules except bundles. */
  scripts: string[]
  body: Html
}

const LINKS = [
  { path: '/docs/quickstart', text: 'Quickstart' },
  { path: '/docs/checksum', text: 'Checksum' },
  { path: '/docs/webhooks', text: 'Webhooks' },
  { path: '/docs', text: 'API reference' },
  { path: '/openapi.json', text: 'OpenAPI file' },
]

const script = (name: string) =>
  name.endsWith('-bundle.js')
    ? html`<script src="/docs/assets/${name}" defer></script>`
    : html`<script src="/docs/assets/${name}" type="module"></script>`

/** A whole page: the shared head and header around its body. */
export async function page({ path, title, description, styles, scripts, body }: Page): Promise<string> {
  const links = LINKS.map(
    (link) =>
      html`<a href="${link.path}"${link.path === path ? html` aria-current="page"` : ''}>${link.text}</a>`,
  )
  const whole = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} · Soundbox Hub</title>
<link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml">
${['docs.css', ...styles].map((name) => html`<link rel="stylesheet" href="/docs/assets/${name}">\n`)}
<noscript><link rel="stylesheet" href="/docs/assets/without-scripts.css"></noscript>
${scripts.map(script)}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
  <a class="brand" href="/docs/quickstart"><img src="/docs/assets/icon.svg" alt="" width="28" height="28"><span>Soundbox Hub</span><span class="brand-tag">Docs</span></a>
  <nav aria-label="Documentation">${links}</nav>
</header>
${body}
</body>
</html>
`
  return whole.toString()
}
