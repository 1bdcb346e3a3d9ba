import { readInstant } from '../../operate/instant.ts'
import { isoInstant } from '../../platform/clock.ts'
import { html } from '../../site/parts/html.ts'
import { AUDIT_ACTIONS, type AuditRow } from '../../storage/audit.ts'
import { timeOf } from '../parts/format.ts'
import { askedFor, type Column, type Field, fileOf, listOf, ROWS, wantsFile } from '../parts/list.ts'
import type { Route } from '../parts/visit.ts'
import { type Both, type Lang, wordsOf } from '../parts/words.ts'

const words = wordsOf({ title: ['Audit', 'Nhật ký'] })
/** Where a change came from. */
export const from = wordsOf({
  api: ['API', 'API'],
  command: ['command', 'dòng lệnh'],
  console: ['console', 'bảng điều khiển'],
  hub: ['hub', 'hub'],
})

const idOf = (text: string) => (text === '' ? '' : html`<span class="id">${text}</span>`)
const same = (text: string): Both => [text, text]

const FIELDS: readonly Field[] = [
  { name: 'actor', label: ['Who', 'Ai'] },
  {
    name: 'action',
    label: ['What', 'Việc gì'],
    choices: AUDIT_ACTIONS.map((action) => ({ value: action, label: same(action) })),
  },
  { name: 'subject', label: ['Serial, client or store', 'Số serial, đối tác hoặc cửa hàng'] },
  { name: 'since', label: ['Since (24h, 7d, 2026-11-20)', 'Từ (24h, 7d, 2026-11-20)'] },
]

function columnsIn(lang: Lang): readonly Column<AuditRow>[] {
  return [
    {
      name: 'at',
      head: ['When', 'Khi nào'],
      cell: ({ at }) => timeOf(at, lang),
      file: ({ at }) => isoInstant(at),
    },
    { name: 'actor', head: ['Who', 'Ai'], cell: ({ actor }) => idOf(actor), file: ({ actor }) => actor },
    {
      name: 'from',
      head: ['From', 'Từ đâu'],
      cell: (row) => html`<span class="stage">${from(lang)[whereFrom(row)]}</span>`,
      file: (row) => whereFrom(row),
    },
    {
      name: 'action',
      head: ['What', 'Việc gì'],
      cell: ({ action }) => html`<code>${action}</code>`,
      file: ({ action }) => action,
    },
    {
      name: 'subject',
      head: ['Subject', 'Đối tượng'],
      cell: ({ subject }) => idOf(subject),
      file: ({ subject }) => subject,
    },
    {
      name: 'details',
      head: ['Before and after', 'Trước và sau'],
      cell: (row) => (detailsOf(row) === '' ? '' : html`<code class="details">${detailsOf(row)}</code>`),
      file: detailsOf,
    },
  ]
}

/** Who has changed what, the newest first. */
export const auditPage: readonly Route[] = [
  {
    method: 'GET',
    path: '/audit',
    role: 'viewer',
    async answer({ c, lang, now, storage }) {
      const asked = askedFor(c, FIELDS, ['before'])
      const { actor, action, subject, since, before } = asked
      const rows = await storage.audit.list({
        ...{ actor, action, subject, limit: ROWS },
        since: since === undefined ? undefined : readInstant(since, now),
        before: before === undefined || !/^\d{1,15}$/.test(before) ? undefined : Number(before),
      })
      const columns = columnsIn(lang)
      if (wantsFile(c)) return fileOf(c, 'audit', columns, rows)
      const last = rows.length === ROWS ? rows.at(-1) : undefined
      return {
        title: words(lang).title,
        body: listOf({
          ...{ lang, path: '/audit', asked, fields: FIELDS, columns, rows },
          next: last && { before: String(last.id) },
        }),
      }
    },
  },
]

/** The details without where the change came from, which has a column of its own. */
export function detailsOf({ details: { via, ...details } }: AuditRow): string {
  return Object.keys(details).length === 0 ? '' : JSON.stringify(details)
}

export function whereFrom({ actorKind, details }: AuditRow): 'api' | 'command' | 'console' | 'hub' {
  if (actorKind === 'operator') return details.via === 'console' ? 'console' : 'command'
  return actorKind === 'partner' ? 'api' : 'hub'
}
