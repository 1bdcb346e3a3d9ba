import { readFile } from 'node:fs/promises'
import type { Say } from '../../platform/language/words.ts'
import { copyButton } from './copy-button.ts'
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

/**
 * Samples and their comments are English in every language of the pages: they are the files of the repository that its tests run,
 * and that readers copy into their own programs.
 */
type SampleLanguage = (typeof LANGUAGES)[number]['language']

export type RequestName = 'get_token' | 'show_code' | 'register' | 'show_qr' | 'report_payment'
/** The samples of every language: the file that the others share, the requests, and the receiver of webhooks. */
export type SampleName = 'hub' | RequestName | 'receive'

/** The languages that have a processor. */
const PROCESSORS = ['mjs', 'mts', 'py', 'php'] as const

/** Reads the samples of one name in every language, with their placeholders. */
export const readSamples = (name: SampleName) =>
  readIn(
    name,
    LANGUAGES.map(({ language }) => language),
  )

/** Reads the payment processors, with their placeholders. */
export const readProcessors = () => readIn('processor', PROCESSORS)

async function readIn<L extends SampleLanguage>(
  name: string,
  languages: readonly L[],
): Promise<Record<L, string>> {
  const read = async (language: L) =>
    (await readFile(new URL(`../samples/${name}.${language}`, import.meta.url), 'utf8')).trimEnd()
  const texts = languages.map(async (language) => [language, await read(language)] as const)
  // It has an entry for every language.
  return Object.fromEntries(await Promise.all(texts)) as Record<L, string>
}

const code = (language: CodeLanguage, text: string) =>
  html`<code class="lines" data-language="${language}">${highlight(language, text, INITIAL_VALUES)}</code>`

/** A framed piece of code with a title and a copy button. */
export function codeBlock(
  say: Say,
  id: string,
  title: Html | string,
  language: CodeLanguage,
  text: string,
): Html {
  return html`<div class="code" id="${id}">
  <div class="code-bar"><span class="code-title" id="${id}-title">${title}</span>${copyButton(say, `#${id} code.lines`)}</div>
  <pre tabindex="0" role="group" aria-labelledby="${id}-title">${code(language, text)}</pre>
</div>`
}

/** A sample in its languages, one shown at a time. `label` is for screen readers; `names` are other names of languages. */
export function codeTabs(
  say: Say,
  id: string,
  label: string,
  samples: Partial<Record<SampleLanguage, string>>,
  names: Partial<Record<SampleLanguage, string>> = {},
): Html {
  const languages = LANGUAGES.flatMap(({ language, name }) => {
    const text = samples[language]
    return text === undefined ? [] : [{ language, name, text }]
  })
  const tabs = languages.map(
    ({ language, name }, i) =>
      html`<button type="button" role="tab" id="${id}-${language}-tab" aria-controls="${id}-${language}" aria-selected="${String(i === 0)}" tabindex="${i === 0 ? 0 : -1}" data-language="${language}">${names[language] ?? name}</button>`,
  )
  const panels = languages.map(
    ({ language, text }, i) =>
      html`<pre role="tabpanel" id="${id}-${language}" aria-labelledby="${id}-${language}-tab" tabindex="0"${i === 0 ? '' : html` hidden`}>${code(language, text)}</pre>`,
  )
  return html`<div class="code" id="${id}">
  <div class="code-bar"><div class="tabs" role="tablist" aria-label="${label}">${tabs}</div>${copyButton(say, `#${id} code.lines`)}</div>
  ${panels}
</div>`
}
