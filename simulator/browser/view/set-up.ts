import type { PageName } from '../platform/store.ts'
import { type Device, type Reading, readPasted } from '../provision/link.ts'
import { button, element } from './element.ts'
import { browserLanguage, pageWordsOf } from './page-words.ts'

const words = () => pageWordsOf(browserLanguage())

/** What the operator of the hub enters to get links. */
const COMMAND: Readonly<Record<PageName, string>> = {
  speaker: 'npm run hub -- device add --link',
  grid: 'npm run hub -- device add --count 12 --link',
}

function sheet(title: string, ...children: Node[]): HTMLElement {
  const made = element('section', 'sheet', element('h1', '', title), ...children)
  made.lang = browserLanguage()
  return made
}

/** A page that can't be a speaker, and what to do. */
export function trouble(kind: 'insecure' | 'failed', reason = ''): HTMLElement {
  const { insecure, insecureHelp, failed, failedHelp } = words()
  const [title, help] = kind === 'insecure' ? [insecure, insecureHelp] : [failed, failedHelp]
  const made = sheet(title, element('p', '', help), element('p', 'small', reason))
  made.setAttribute('role', 'alert')
  return made
}

/** Asks for the link of a speaker. `wrong` is what is wrong with the one that was opened. Resolves with its devices. */
export function askForLink(
  page: HTMLElement,
  name: PageName,
  wrong: Reading | undefined,
): Promise<readonly Device[]> {
  const { setUp, setUpHelp, setUpGrid, setUpGridHelp, paste, pasteHint, use } = words()
  const field = document.createElement('textarea')
  Object.assign(field, {
    id: 'link',
    rows: name === 'grid' ? 6 : 3,
    placeholder: pasteHint,
    spellcheck: false,
  })
  field.setAttribute('autocapitalize', 'off')
  field.setAttribute('autocomplete', 'off')
  const label = element('label', '', paste)
  label.setAttribute('for', field.id)
  const verdict = element('p', 'verdict', wrong ? sentenceOf(wrong) : '')
  verdict.setAttribute('role', 'alert')
  const [title, help] = name === 'grid' ? [setUpGrid, setUpGridHelp] : [setUp, setUpHelp]
  return new Promise((resolve) => {
    const read = () => {
      const reading = readPasted(field.value)
      verdict.textContent = sentenceOf(reading)
      if ('devices' in reading) resolve(name === 'grid' ? reading.devices : reading.devices.slice(0, 1))
    }
    page.replaceChildren(
      sheet(
        title,
        verdict,
        element('p', '', help),
        element('pre', '', element('code', '', COMMAND[name])),
        label,
        field,
        button('action', use, use, read),
      ),
    )
  })
}

/** Asks whether this page shall become another speaker, or the same one with another key. */
export function askToReplace(page: HTMLElement, stored: string, given: string): Promise<boolean> {
  const { replace, replaceHelp, replaceYes, replaceNo, otherKey, otherKeyHelp, otherKeyYes, otherKeyNo } =
    words()
  const [title, help, yes, no] =
    stored === given
      ? [otherKey(given), otherKeyHelp, otherKeyYes, otherKeyNo]
      : [replace(stored, given), replaceHelp, replaceYes(given), replaceNo(stored)]
  return new Promise((resolve) => {
    page.replaceChildren(
      sheet(
        title,
        element('p', '', help),
        button('action', no, no, () => resolve(false)),
        button('action plain', yes, yes, () => resolve(true)),
      ),
    )
  })
}

function sentenceOf(reading: Reading): string {
  return 'mistake' in reading ? words().mistakes[reading.mistake](reading.at) : ''
}
