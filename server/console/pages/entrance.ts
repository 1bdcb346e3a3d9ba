import { publicError } from '../../http/errors/catalogue.ts'
import type { HubError } from '../../platform/errors.ts'
import { html } from '../../site/parts/html.ts'
import type { Page } from '../parts/visit.ts'
import { type Lang, wordsOf } from '../parts/words.ts'

const words = wordsOf({
  login: ['Log in', 'Đăng nhập'],
  once: ['This link logs you in once.', 'Đường dẫn này dùng để đăng nhập một lần.'],
  notIn: ['You are not logged in', 'Bạn chưa đăng nhập'],
  run: [
    'On the machine of the hub, run this command and open the link that it prints within 60 seconds:',
    'Trên máy chạy hub, hãy chạy lệnh sau rồi mở đường dẫn mà nó in ra trong vòng 60 giây:',
  ],
  spent: ['This link is not good any more', 'Đường dẫn này không còn dùng được'],
  forbidden: ['You may not do this', 'Bạn không được phép làm việc này'],
  why: [
    'Your role does not allow it, or the request came from another page. Nothing was changed.',
    'Vai trò của bạn không cho phép, hoặc yêu cầu đến từ một trang khác. Không có gì bị thay đổi.',
  ],
  starting: ['The hub is starting', 'Hub đang khởi động'],
  wait: [
    'Its database is not open yet. Load this page again.',
    'Cơ sở dữ liệu chưa mở. Hãy tải lại trang này.',
  ],
  failed: ['That did not work', 'Không thực hiện được'],
  home: ['To the first page', 'Về trang đầu'],
})

const COMMAND = 'npm run -s hub -- console'

/** Of somebody without a session. It is the same for every path, so that it tells nothing. */
export function strangerPage(lang: Lang): Page {
  const w = words(lang)
  return { title: w.notIn, status: 401, body: html`<p>${w.run}</p><pre><code>${COMMAND}</code></pre>` }
}

/** A button, and no login by the address alone: a preview of the link must not use it up. */
export function loginPage(lang: Lang, link: string): Page {
  const w = words(lang)
  return {
    title: w.login,
    body: html`<p>${w.once}</p><form method="post" action="/login"><input type="hidden" name="link" value="${link}"><button class="main">${w.login}</button></form>`,
  }
}

export function spentPage(lang: Lang): Page {
  return { ...strangerPage(lang), title: words(lang).spent }
}

export function forbiddenPage(lang: Lang): Page {
  const w = words(lang)
  return { title: w.forbidden, status: 403, body: html`<p>${w.why}</p><p><a href="/">${w.home}</a></p>` }
}

export function notReadyPage(lang: Lang): Page {
  const w = words(lang)
  return { title: w.starting, status: 503, body: html`<p>${w.wait}</p>` }
}

/** What a verb has refused. The sentence is that of the API. */
export function errorPage(lang: Lang, error: HubError): Page {
  const { code, error: name, message } = publicError(error.kind)
  const issues = error.details.map(({ field, issue }) => html`<li><code>${field}</code> ${issue}</li>`)
  return {
    title: words(lang).failed,
    status: STATUS[Math.floor(code / 100)] ?? 400,
    body: html`<p lang="en">${message} <small>${code} ${name}</small></p><ul lang="en">${issues}</ul>`,
  }
}

const STATUS: Readonly<Record<number, Page['status']>> = { 404: 404, 409: 409, 413: 413, 503: 503 }
