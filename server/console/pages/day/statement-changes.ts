import { fieldError } from '../../../platform/errors.ts'
import { type Decision, MOST_NOTE } from '../../../reconciliation/decide-and-sign.ts'
import type { ShownStatement } from '../../../reconciliation/show-statement.ts'
import { type Html, html } from '../../../site/parts/html.ts'
import { formOf } from '../../parts/reading.ts'
import type { ChangeVisit, OwnVisit, Page } from '../../parts/visit.ts'
import { type Lang, wordsOf } from '../../parts/words.ts'
import { shownStatement } from './statement.ts'
import { equationsOf, PLACES_OF_ROWS, placeIn, verdictOf } from './statement-words.ts'

const words = wordsOf({
  refused: ['Nothing was decided', 'Chưa quyết định được'],
  row_not_found: ['The statement has no such row.', 'Sao kê không có dòng này.'],
  not_open: [
    'This row can not be decided any more. It is now:',
    'Không thể quyết định dòng này nữa. Dòng này giờ thuộc:',
  ],
  payment_not_found: [
    'The account of the statement has no payment with this id.',
    'Tài khoản của sao kê không có giao dịch nào mang id này.',
  ],
  taken: ['Another row has this payment:', 'Một dòng khác đã nhận giao dịch này:'],
  row: ['row', 'dòng'],
  back: ['Back to the statement', 'Về sao kê'],
  sure: ['Sign this statement off?', 'Ký xác nhận sao kê này?'],
  sureText: [
    'Counts, sums and your name are kept for ever. What comes later shows as changed since.',
    'Số lượng, tổng tiền và tên của bạn được lưu vĩnh viễn. Những gì đến sau sẽ hiện là đã thay đổi.',
  ],
  note: ['Note', 'Ghi chú'],
  noteNeeded: [
    'It is not balanced: a note has to say why it is signed off all the same.',
    'Sao kê chưa cân đối: cần ghi chú lý do vẫn ký xác nhận.',
  ],
  changed: [
    'The statement has changed since you looked at it. Nothing was signed. Look at it again.',
    'Sao kê đã thay đổi từ lúc bạn xem. Chưa ký gì cả. Hãy xem lại.',
  ],
  yes: ['Yes, sign off', 'Đồng ý, ký xác nhận'],
  no: ['No, back', 'Không, quay lại'],
})

const pathOf = (id: string) => `/day/statements/${encodeURIComponent(id)}`

/** Gives a row its payment, or none. */
export async function decide(visit: ChangeVisit): Promise<Page | Response> {
  const { c, verbs, by, lang } = visit
  const id = c.req.param('id') ?? ''
  const field = await formOf(visit)
  const [n, as, payment] = [field('n'), field('as'), field('payment')]
  if (!/^\d{1,6}$/.test(n)) throw fieldError('VALIDATION_FAILED', 'n', 'is no number of a row')
  if (as !== 'payment' && as !== 'none')
    throw fieldError('VALIDATION_FAILED', 'as', 'must be payment or none')
  if (as === 'payment' && payment === '') throw fieldError('VALIDATION_FAILED', 'payment', 'is required')
  const decided = await verbs.decide(by, id, Number(n), as === 'none' ? undefined : payment)
  const bucket = PLACES_OF_ROWS.find((one) => one === field('bucket'))
  const cursor = field('cursor')
  const here = { ...(bucket && { bucket }), ...(cursor && { cursor }) }
  if (decided.kind === 'decided') {
    const to = new URLSearchParams({ ...here, done: 'decided', n, to: decided.bucket })
    return c.redirect(`${pathOf(id)}?${to}`, 303)
  }
  const w = words(lang)
  return {
    title: w.refused,
    status: decided.kind === 'row_not_found' ? 404 : 409,
    body: html`<p class="notice bad">${whyNot(decided, lang)}</p>
<p><a href="${pathOf(id)}?${new URLSearchParams(here)}">${w.back}</a></p>`,
  }
}

function whyNot(decided: Exclude<Decision, { kind: 'decided' }>, lang: Lang): Html | string {
  const w = words(lang)
  if (decided.kind === 'not_open')
    return html`${w.not_open} <strong>${placeIn(lang)[decided.bucket]}</strong>`
  if (decided.kind !== 'taken') return w[decided.kind]
  return html`${w.taken} <a href="${pathOf(decided.statementId)}">${w.row} ${decided.n}</a>`
}

/** Asks before a statement is signed off. */
export async function askToSign(visit: OwnVisit): Promise<Page> {
  return signPage(await shownStatement(visit), visit.lang)
}

function signPage(shown: ShownStatement, lang: Lang, problem?: 'noteNeeded' | 'changed', note = ''): Page {
  const w = words(lang)
  const { id, summary } = shown.statement
  const isBalanced = shown.unbalanced.length === 0
  return {
    title: w.sure,
    ...(problem && { status: problem === 'changed' ? 409 : 400 }),
    body: html`${problem ? html`<p class="notice bad" role="alert">${w[problem]}</p>` : ''}
<p>${w.sureText}</p>
<p class="notice ${isBalanced ? '' : 'bad'}">${verdictOf(shown, lang)}</p>
${equationsOf(shown, lang)}
<form method="post" action="${pathOf(id)}/sign" class="sign"><input type="hidden" name="hash" value="${summary.hash}">
<label>${w.note}<textarea name="note" rows="3" maxlength="${MOST_NOTE}"${isBalanced ? '' : html` required`}>${note}</textarea></label>
${isBalanced || problem === 'noteNeeded' ? '' : html`<p class="none">${w.noteNeeded}</p>`}
<p><button class="main">${w.yes}</button> <a href="${pathOf(id)}">${w.no}</a></p></form>`,
  }
}

/** Signs what the person has seen, and nothing that came since. */
export async function sign(visit: ChangeVisit): Promise<Page | Response> {
  const { c, verbs, by, lang } = visit
  const field = await formOf(visit)
  const note = field('note').replaceAll('\r\n', '\n')
  if (note.length > MOST_NOTE)
    throw fieldError('VALIDATION_FAILED', 'note', `has at most ${MOST_NOTE} characters`)
  const shown = await shownStatement(visit)
  const { id, summary } = shown.statement
  if (field('hash') !== summary.hash) return signPage(shown, lang, 'changed', note)
  const signed = await verbs.sign(by, id, note)
  if (signed.kind === 'note_needed') return signPage(shown, lang, 'noteNeeded', note)
  return c.redirect(`${pathOf(id)}?done=signed`, 303)
}
