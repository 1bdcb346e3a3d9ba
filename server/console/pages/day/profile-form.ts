import { type Html, html } from '../../../site/parts/html.ts'
import { inLang, type Lang, wordsOf } from '../../parts/words.ts'
import { type FieldProblem, GROUPS, type ProfileField } from './profile-fields.ts'

/** Characters of a sample that is pasted: the page that answers has it again. */
export const MOST_PASTED = 32 * 1024

const words = wordsOf({
  name: ['Name of the profile', 'Tên mẫu'],
  nameNote: [
    '1 to 32 letters, digits, dots, hyphens and underscores',
    '1 đến 32 chữ không dấu, chữ số, dấu chấm, gạch nối, gạch dưới',
  ],
  sample: ['Sample', 'Tệp thử'],
  file: ['File of the bank', 'Tệp của ngân hàng'],
  pasted: ['or its first lines, pasted', 'hoặc dán những dòng đầu'],
  preview: ['Show 20 rows', 'Xem 20 dòng'],
  back: ['Back to the profiles', 'Về danh sách mẫu'],
  problem: ['This can not be read:', 'Không đọc được:'],
})

/** What a form is filled with. */
export interface FilledProfile {
  name: string
  texts: Readonly<Record<string, string>>
  pasted: string
}

/** The form of a profile: it leads to the preview. */
export function profileForm(lang: Lang, { name, texts, pasted }: FilledProfile): Html {
  const w = words(lang)
  return html`<form method="post" action="/day/profile/preview" enctype="multipart/form-data" class="upload panel">
<label>${w.name}<input name="name" value="${name}" required maxlength="32" autocomplete="off"><small>${w.nameNote}</small></label>
${GROUPS.map(
  ({ legend, note, fields }) => html`<fieldset><legend>${inLang(legend, lang)}</legend>
${note ? html`<small>${inLang(note, lang)}</small>` : ''}${fields.map((field) => fieldOf(field, texts[field.name] ?? '', lang))}</fieldset>`,
)}
<fieldset><legend>${w.sample}</legend>
<label>${w.file}<input name="file" type="file" accept=".csv,.txt,text/csv"></label>
<label>${w.pasted}<textarea name="pasted" rows="6" maxlength="${MOST_PASTED}">
${pasted}</textarea></label></fieldset>
<p><button class="main">${w.preview}</button> <a href="/day/profiles">${w.back}</a></p>
</form>`
}

function fieldOf({ name, label, note, choices, kind }: ProfileField, text: string, lang: Lang): Html {
  const control = choices
    ? html`<select name="${name}">${choices.map(
        ({ value, label: shown }) =>
          html`<option value="${value}"${value === text ? html` selected` : ''}>${inLang(shown, lang)}</option>`,
      )}</select>`
    : html`<input name="${name}" value="${text}" maxlength="130" autocomplete="off"${kind === 'number' ? html` inputmode="numeric"` : ''}>`
  return html`<label>${inLang(label, lang)}${control}${note ? html`<small>${inLang(note, lang)}</small>` : ''}</label>`
}

/** Why a form has no profile. */
export function problemsOf(problems: readonly FieldProblem[], lang: Lang): Html {
  return html`<div class="notice bad" role="alert">${words(lang).problem}<ul>${problems.map(
    ({ label, message }) =>
      html`<li>${label ? html`${inLang(label, lang)}: ` : ''}<span lang="en">${message}</span></li>`,
  )}</ul></div>`
}
