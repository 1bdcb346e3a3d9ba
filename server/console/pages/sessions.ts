import type { ConsoleSession } from '../../operators/session.ts'
import { html } from '../../site/parts/html.ts'
import { ago, timeOf } from '../parts/format.ts'
import { type Column, tableOf } from '../parts/list.ts'
import { roles } from '../parts/page.ts'
import { notice } from '../parts/pieces.ts'
import type { OwnVisit, Route } from '../parts/visit.ts'
import { wordsOf } from '../parts/words.ts'

const words = wordsOf({
  title: ['Sessions', 'Phiên đăng nhập'],
  about: [
    'Who is logged in to this console. A session ends by itself after an hour without use, and twelve hours after its login at the latest.',
    'Những người đang đăng nhập bảng điều khiển. Phiên tự kết thúc sau một giờ không dùng và muộn nhất là mười hai giờ sau khi đăng nhập.',
  ],
  end: ['End', 'Kết thúc'],
  own: ['this one', 'phiên này'],
  ended: ['The session is ended.', 'Đã kết thúc phiên.'],
  clock: ['Clock and retention', 'Đồng hồ và việc xoá dữ liệu cũ'],
})

function columnsIn({ lang, now, who }: OwnVisit): readonly Column<ConsoleSession>[] {
  const w = words(lang)
  return [
    { name: 'name', head: ['Who', 'Ai'], cell: ({ name }) => name, file: ({ name }) => name },
    {
      name: 'role',
      head: ['Role', 'Vai trò'],
      cell: ({ role }) => roles(lang)[role],
      file: ({ role }) => role,
    },
    {
      name: 'createdAt',
      head: ['Logged in', 'Đăng nhập lúc'],
      cell: ({ createdAt }) => timeOf(createdAt, lang),
      file: ({ createdAt }) => createdAt,
    },
    {
      name: 'seenAt',
      head: ['Last used', 'Dùng lần cuối'],
      cell: ({ seenAt }) => ago(seenAt, now, lang),
      file: ({ seenAt }) => seenAt,
    },
    {
      name: 'end',
      head: ['End', 'Kết thúc'],
      cell: ({ id, name }) =>
        html`<form method="post" action="/sessions/end"><input type="hidden" name="id" value="${id}"><button class="danger" aria-label="${w.end}: ${name}">${w.end}</button>${
          id === who.id ? html` <small>${w.own}</small>` : ''
        }</form>`,
      file: ({ id }) => id,
    },
  ]
}

/** Who is logged in. */
export const sessionsPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/sessions',
    role: 'admin',
    async answer(visit) {
      const { c, lang, sessions } = visit
      const w = words(lang)
      const ended = c.req.query('done') === 'ended' ? notice(w.ended) : ''
      return {
        title: w.title,
        body: html`${ended}<p>${w.about}</p>
${tableOf({ lang, columns: columnsIn(visit), rows: await sessions.listSessions() })}
<p><a href="/clock">${w.clock}</a></p>`,
      }
    },
  },
  {
    method: 'POST',
    path: '/sessions/end',
    role: 'admin',
    async answer({ c, by, sessions }) {
      const { id } = await c.req.parseBody()
      // One that is not there is over already.
      if (typeof id === 'string') await sessions.end(by, id)
      return c.redirect('/sessions?done=ended', 303)
    },
  },
]
