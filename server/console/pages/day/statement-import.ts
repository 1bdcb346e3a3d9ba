import { publicError } from '../../../http/errors/catalogue.ts'
import { HubError } from '../../../platform/errors.ts'
import { CAMT } from '../../../reconciliation/formats/profile.ts'
import { MOST_BYTES } from '../../../reconciliation/model/statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { readUpload } from '../../parts/upload.ts'
import type { ChangeVisit, OwnVisit, Page } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'

/** The file, and what a form says around it. */
export const MOST_UPLOAD = MOST_BYTES + 64 * 1024
const ACCOUNT = /^[A-Za-z0-9 .-]{4,48}$/

const words = wordsOf({
  title: ['Import a statement', 'Nhập sao kê'],
  text: [
    'A file of one account: camt.053, or CSV by a saved profile of the bank. At most 20 MB and 100,000 rows. It changes no payment.',
    'Tệp của một tài khoản: camt.053, hoặc CSV theo mẫu đã lưu của ngân hàng. Tối đa 20 MB và 100.000 dòng. Không giao dịch nào bị thay đổi.',
  ],
  partner: ['Partner', 'Đối tác'],
  account: ['Account', 'Số tài khoản'],
  accountNote: ['empty: the one that the file names', 'để trống: tài khoản ghi trong tệp'],
  profile: ['Profile of the bank', 'Mẫu của ngân hàng'],
  file: ['File', 'Tệp'],
  import: ['Import', 'Nhập'],
  profiles: ['Profiles of banks…', 'Các mẫu ngân hàng…'],
  back: ['Back to the day', 'Về trang ngày'],
  noPartner: ['Choose the partner.', 'Hãy chọn đối tác.'],
  noFile: ['Choose a file.', 'Hãy chọn tệp.'],
  badAccount: ['This is no number of an account.', 'Đây không phải là số tài khoản.'],
  noAccount: [
    'Give the account: the file does not name it.',
    'Hãy nhập số tài khoản: tệp không ghi số tài khoản.',
  ],
  noProfile: ['There is no such profile.', 'Không có mẫu này.'],
  known: ['This file was imported before:', 'Tệp này đã được nhập trước đây:'],
  knownLink: ['its statement', 'sao kê của tệp'],
  unreadable: ['can not be read. Nothing was imported.', 'không đọc được. Chưa nhập gì.'],
  line: ['Line', 'Dòng'],
  wholeFile: ['The file', 'Cả tệp'],
})

interface Filled {
  partner: string
  account: string
  profile: string
}

interface Problem {
  text: Html | string
  status: Page['status']
}

async function importForm(visit: OwnVisit, filled: Filled, problem?: Problem): Promise<Page> {
  const { lang, storage, verbs } = visit
  const w = words(lang)
  const partners = await storage.partners.list()
  const profiles = [CAMT, ...(await verbs.listProfiles()).map(({ name }) => name)]
  const option = (value: string, chosen: string, label: Html | string = value) =>
    html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`
  const back = new URLSearchParams(filled.partner === '' ? {} : { partner: filled.partner })
  return {
    title: w.title,
    ...(problem?.status && { status: problem.status }),
    body: html`${problem ? html`<div class="notice bad" role="alert">${problem.text}</div>` : ''}
<p>${w.text}</p>
<form method="post" action="/day/import" enctype="multipart/form-data" class="upload panel">
<label>${w.partner}<select name="partner" required>${partners.length === 1 ? '' : option('', filled.partner, '')}${partners.map(
      ({ clientId, name }) => option(clientId, filled.partner, `${name} (${clientId})`),
    )}</select></label>
<label>${w.account}<input name="account" value="${filled.account}" maxlength="48" autocomplete="off"><small>${w.accountNote}</small></label>
<label>${w.profile}<select name="profile">${profiles.map((name) => option(name, filled.profile))}</select></label>
<label>${w.file}<input name="file" type="file" required accept=".csv,.xml,.txt,text/csv,application/xml"></label>
<p><button class="main">${w.import}</button> <a href="/day/profiles">${w.profiles}</a> <a href="/day?${back}">${w.back}</a></p>
</form>`,
  }
}

export function askForFile(visit: OwnVisit): Promise<Page> {
  const { partner = '', account = '', profile = CAMT } = visit.c.req.query()
  return importForm(visit, { partner, account, profile })
}

/** Imports the file of a form. A refusal shows the form again, and says why. */
export async function importFile(visit: ChangeVisit): Promise<Page | Response> {
  const { c, lang, verbs, by, storage } = visit
  const w = words(lang)
  const { fields, file } = await readUpload(c)
  const text = (name: string) => fields[name]?.trim() ?? ''
  const filled = { partner: text('partner'), account: text('account'), profile: text('profile') }
  const refuse = (why: string) => importForm(visit, filled, { text: why, status: 400 })
  if (!(await storage.partners.find(filled.partner))) return refuse(w.noPartner)
  if (filled.account !== '' && !ACCOUNT.test(filled.account)) return refuse(w.badAccount)
  if (!file || file.bytes.length === 0) return refuse(w.noFile)
  try {
    const id = await verbs.importStatement(by, {
      clientId: filled.partner,
      account: filled.account === '' ? undefined : filled.account,
      profile: filled.profile === '' ? undefined : filled.profile,
      bytes: file.bytes,
    })
    return c.redirect(`/day/statements/${encodeURIComponent(id)}?done=imported`, 303)
  } catch (error) {
    const problem = error instanceof HubError ? problemOf(error, file.name, lang) : undefined
    if (!problem) throw error
    return importForm(visit, filled, problem)
  }
}

/** Undefined: it is no refusal of this file. */
function problemOf({ kind, details }: HubError, name: string, lang: Lang): Problem | undefined {
  const w = words(lang)
  const [{ field, issue } = { field: '', issue: '' }] = details
  if (kind === 'STATEMENT_KNOWN')
    return { text: html`${w.known} <a href="/day/statements/${issue}">${w.knownLink}</a>`, status: 409 }
  if (kind === 'STATEMENT_UNREADABLE') {
    const line = /^line (\d+)$/.exec(field)?.[1]
    const where = line === undefined ? w.wholeFile : `${w.line} ${line}`
    return {
      text: html`<code>${name}</code> ${w.unreadable} ${where}: <span lang="en">${issue}</span>`,
      status: 400,
    }
  }
  if (kind === 'VALIDATION_FAILED' && field === 'account') return { text: w.noAccount, status: 400 }
  if (kind === 'VALIDATION_FAILED' && field === 'profile') return { text: w.noProfile, status: 400 }
  if (kind === 'STATEMENT_UNDER_WAY')
    return { text: html`<span lang="en">${publicError(kind).message}</span>`, status: 409 }
  return undefined
}
