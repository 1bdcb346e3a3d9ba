import { fieldError } from '../../../platform/errors.ts'
import { CAMT, type NamedProfile, readProfile } from '../../../reconciliation/formats/profile.ts'
import { html } from '../../../site/parts/html.ts'
import { timeOf } from '../../parts/format.ts'
import { type Column, tableOf } from '../../parts/list.ts'
import { formOf } from '../../parts/reading.ts'
import type { ChangeVisit, OwnVisit, Page } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { NEW, textsOf } from './profile-fields.ts'
import { profileForm } from './profile-form.ts'

const words = wordsOf({
  title: ['Profiles of banks', 'Mẫu của ngân hàng'],
  text: [
    `A profile says how the CSV files of a bank are read. ${CAMT} needs none.`,
    `Mẫu cho biết cách đọc tệp CSV của một ngân hàng. ${CAMT} không cần mẫu.`,
  ],
  none: ['No profile is saved yet.', 'Chưa lưu mẫu nào.'],
  add: ['New profile…', 'Mẫu mới…'],
  import: ['Import a statement…', 'Nhập sao kê…'],
  saved: ['This profile is saved:', 'Đã lưu mẫu:'],
  one: ['Profile of a bank', 'Mẫu của ngân hàng'],
  oneText: [
    'The next page shows the first 20 rows of a sample as this profile reads them. Nothing is saved before.',
    'Trang sau hiện 20 dòng đầu của tệp thử theo mẫu này. Chưa lưu gì trước đó.',
  ],
})

/** The saved profiles. */
export async function listProfiles({ c, lang, verbs }: OwnVisit): Promise<Page> {
  const w = words(lang)
  const profiles = await verbs.listProfiles()
  const { done, name } = c.req.query()
  const saved = done === 'saved' ? profiles.find((one) => one.name === name) : undefined
  return {
    title: w.title,
    body: html`${saved ? html`<p class="notice" role="status">${w.saved} <code>${saved.name}</code></p>` : ''}
<p>${w.text}</p>
<p class="steps"><a href="/day/profile">${w.add}</a> <a href="/day/import${saved ? html`?${new URLSearchParams({ profile: saved.name })}` : ''}">${w.import}</a></p>
${profiles.length === 0 ? html`<p class="none">${w.none}</p>` : tableOf({ lang, columns: columnsIn(lang), rows: profiles })}`,
  }
}

function columnsIn(lang: Lang): readonly Column<NamedProfile>[] {
  const shown = (name: string, head: Column<NamedProfile>['head'], cell: Column<NamedProfile>['cell']) => ({
    ...{ name, head, cell, file: () => '' },
  })
  return [
    shown('name', ['Profile', 'Mẫu'], ({ name }) => {
      return html`<a class="stage" href="/day/profile?${new URLSearchParams({ name })}">${name}</a>`
    }),
    shown('encoding', ['Encoding', 'Bảng mã'], ({ profile }) => profile.encoding),
    shown('date', ['Date', 'Dạng ngày'], ({ profile }) => html`<code>${profile.dateFormat}</code>`),
    shown('zone', ['Time zone', 'Múi giờ'], ({ profile }) => profile.zone),
    shown('saved', ['Saved', 'Lưu lúc'], ({ updatedAt }) => html`${timeOf(updatedAt, lang)}`),
  ]
}

/** The form of a new profile, or of a saved one. */
export async function askForProfile({ c, lang, verbs }: OwnVisit): Promise<Page> {
  const w = words(lang)
  const name = c.req.query('name') ?? ''
  const found = name === '' ? undefined : (await verbs.listProfiles()).find((one) => one.name === name)
  if (name !== '' && !found)
    throw fieldError('VALIDATION_FAILED', 'name', 'is not the name of a saved profile')
  const texts = found ? textsOf(found.profile) : NEW
  return {
    title: w.one,
    body: html`<p>${w.oneText}</p>
${profileForm(lang, { name, texts, pasted: '' })}`,
  }
}

/** Saves what the preview has shown. */
export async function saveProfile(visit: ChangeVisit): Promise<Response> {
  const { c, verbs, by } = visit
  const field = await formOf(visit)
  const name = field('name')
  const read = readProfile(field('profile'))
  if ('issues' in read) throw fieldError('VALIDATION_FAILED', 'profile', read.issues.join('; '))
  await verbs.saveProfile(by, name, read.profile)
  return c.redirect(`/day/profiles?${new URLSearchParams({ done: 'saved', name })}`, 303)
}
