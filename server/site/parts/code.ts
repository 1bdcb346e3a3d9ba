import { readFile } from 'node:fs/promises'
import { type CodeLanguage, highlight } from './highlight.ts'
import { type Html, html } from './html.ts'
import { INITIAL_VALUES } from './values.ts'

/** The languages of the samples by their file extension; the first one is shown initially. */
export const LANGUAGES = [
  { language: 'sh', name: 'curl' },
  { language: 'mjs', name: 'JavaScript' },
  { language: 'mts', name: 'TypeScript' },
  { language: 'py', name: 'Python' },
  { language: 'php', name: 'PHP' },
  { language: 'java', name: 'Java' },
  { language: 'go', name: 'Go' },
] as const satisfies { language: CodeLanguage; name: string }[]

type SampleLanguage = (typeof LANGUAGES)[number]['language']

/** What has samples: what those of a language share, the requests, and the receiver of webhooks. */
export type SampleName = 'hub' | RequestName | 'receive'
export type RequestName = 'get_token' | 'show_code' | 'register' | 'show_qr' | 'report_payment'

/** Reads the samples of one name in every language, with their placeholders. */
export async function readSamples(name: SampleName): Promise<Record<SampleLanguage, string>> {
  const read = async (language: SampleLanguage) =>
    (await readFile(new URL(`../samples/${name}.${language}`, import.meta.url), 'utf8')).trimEnd()
  const texts = LANGUAGES.map(async ({ language }) => [language, await read(language)] as const)
  // It has an entry for every language.
  return Object.fromEntries(await Promise.all(texts)) as Record<SampleLanguage, string>
}

const code = (language: CodeLanguage, text: string) =>
  html`<code class="lines" data-language="${language}">${highlight(language, text, INITIAL_VALUES)}</code>`

/** A framed piece of code with a title and a copy button. */
export function codeBlock(id: string, title: Html | string, language: CodeLanguage, text: string): Html {
  return html`<div class="code" id="${id}">
  <div class="code-bar"><span class="code-title" id="${id}-title">${title}</span><button type="button" class="copy" data-copies="#${id} code.lines" aria-live="polite">Copy</button></div>
  <pre tabindex="0" role="group" aria-labelledby="${id}-title">${code(language, text)}</pre>
</div>`
}

/** A sample in every language, one shown at a time. `label` is for screen readers; `names` are other names of languages. */
export function codeTabs(
  id: string,
  label: string,
  samples: Record<SampleLanguage, string>,
  names: Partial<Record<SampleLanguage, string>> = {},
): Html {
  const tabs = LANGUAGES.map(
    ({ language, name }, i) =>
      html`<button type="button" role="tab" id="${id}-${language}-tab" aria-controls="${id}-${language}" aria-selected="${String(i === 0)}" tabindex="${i === 0 ? 0 : -1}" data-language="${language}">${names[language] ?? name}</button>`,
  )
  const panels = LANGUAGES.map(
    ({ language }, i) =>
      html`<pre role="tabpanel" id="${id}-${language}" aria-labelledby="${id}-${language}-tab" tabindex="0"${i === 0 ? '' : html` hidden`}>${code(language, samples[language])}</pre>`,
  )
  return html`<div class="code" id="${id}">
  <div class="code-bar"><div class="tabs" role="tablist" aria-label="${label}">${tabs}</div><button type="button" class="copy" data-copies="#${id} code.lines" aria-live="polite">Copy</button></div>
  ${panels}
</div>`
}
