import type { ConsoleSession } from '../../operators/session.ts'
import { html } from '../../site/parts/html.ts'
import type { Page, Place } from './visit.ts'
import { inLang, LANG_NAMES, LANGS, type Lang, wordsOf } from './words.ts'

const words = wordsOf({
  skip: ['Skip to the content', 'Bỏ qua đến nội dung'],
  pages: ['Pages', 'Các trang'],
  search: ['Serial, code, terminal or amount', 'Số serial, mã, quầy hoặc số tiền'],
  find: ['Search', 'Tìm'],
  logOut: ['Log out', 'Đăng xuất'],
  language: ['Language', 'Ngôn ngữ'],
})
/** What roles are called. */
export const roles = wordsOf({
  viewer: ['viewer', 'người xem'],
  operator: ['operator', 'vận hành'],
  admin: ['admin', 'quản trị'],
})
interface Around {
  lang: Lang
  /** With its query: where the switch of languages leads back to. */
  path: string
  places: readonly Place[]
  /** Undefined: nobody is logged in. */
  who: ConsoleSession | undefined
}

/** A whole page: the shared head and bar around its body. */
export async function wholePage({ title, body }: Page, { lang, path, places, who }: Around): Promise<string> {
  const w = words(lang)
  const at = path.split('?')[0] ?? ''
  const isHere = (place: Place) => (place.path === '/' ? at === '/' : at.startsWith(place.path))
  const bar =
    who &&
    html`
  <nav aria-label="${w.pages}">${places.map(
    (place) =>
      html`<a href="${place.path}"${isHere(place) ? html` aria-current="page"` : ''}>${inLang(place.name, lang)}</a>`,
  )}</nav>
  <form class="find" action="/search" role="search"><input type="search" name="q" aria-label="${w.search}" placeholder="${w.search}" required maxlength="128"><button>${w.find}</button></form>`
  const person =
    who &&
    html`<form method="post" action="/logout" class="who"><span>${who.role === 'admin' ? html`<a href="/sessions">${who.name}</a>` : who.name} <small>${roles(lang)[who.role]}</small></span><button class="quiet">${w.logOut}</button></form>`
  const whole = await html`<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Soundbox Hub</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/console.css">
<link rel="stylesheet" href="/assets/line.css">
<script src="/assets/console.js" type="module"></script>
</head>
<body>
<a class="skip" href="#content">${w.skip}</a>
<header class="top">
  <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24"><span>Soundbox Hub</span></a>
  ${bar ?? ''}
  <div class="own">${person ?? ''}<form method="post" action="/language" class="languages" aria-label="${w.language}"><input type="hidden" name="to" value="${path}">${LANGS.map(
    (one) =>
      html`<button name="lang" value="${one}" lang="${one}" class="quiet"${one === lang ? html` aria-pressed="true"` : ''}>${LANG_NAMES[one]}</button>`,
  )}</form></div>
</header>
<main id="content">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  return whole.toString()
}
