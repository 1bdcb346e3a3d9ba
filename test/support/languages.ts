/** Finds text that was not translated: in the sources of the pages, in the pages, and in what their scripts show. */

/** Names and forms that are the same in each language. */
const SAME = new Set([
  ...['Soundbox Hub', '· Soundbox Hub', 'English', 'Tiếng Việt', 'Checksum', 'Shell', 'curl', 'hex'],
  ...['JavaScript', 'TypeScript', 'Python', 'PHP', 'Java', 'Go', 'POST', 'GET', 'Standard Webhooks'],
  ...['standardwebhooks.com', 'whsec_…', 'v1,…', 'payment, webhook, 40014 …', 'Get access token', 'Callback'],
  ...['{"terminalID": "…", "checkSum": "…"}', '{id}.{timestamp}.{body}'],
])
/** A letter that English lacks. */
const MARKED = /[À-ỹ]/u
/** From here on a text without a marked letter is not Vietnamese. */
const FEW_WORDS = 3

const wordsIn = (text: string) => text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? []
const isName = (text: string) =>
  SAME.has(text) || /^[A-Z_]{3,}$|^webhook-[a-z]+$/.test(text) || wordsIn(text).length === 0

/** Elements whose text is code. */
const CODE = new Set(['code', 'pre', 'script', 'style', 'template'])
const EMPTY = new Set(['meta', 'link', 'img', 'input', 'br', '!doctype'])
const SAID_BY = /\s(?:title|aria-label|placeholder|alt|content)="([^"]*)"/g

/** The texts and the speaking attributes of a page, without its code. */
export function textsOf(page: string): string[] {
  const texts: string[] = []
  const open: string[] = []
  const isCode = () => open.some((name) => CODE.has(name))
  for (const [, end, name = '', attributes = '', text = ''] of page.matchAll(
    /<(\/?)([a-z!][a-z0-9]*)((?:"[^"]*"|'[^']*'|[^>"'])*)>([^<]*)/gi,
  )) {
    const tag = name.toLowerCase()
    if (end) open.splice(open.lastIndexOf(tag))
    else if (!EMPTY.has(tag)) open.push(tag)
    const isSaid = tag !== 'meta' || attributes.includes('name="description"')
    if (isSaid) texts.push(...[...attributes.matchAll(SAID_BY)].map(([, said = '']) => said))
    // A box holds what the reader types.
    if (!isCode() && open.at(-1) !== 'textarea') texts.push(text)
  }
  return texts.map(plain).filter(Boolean)
}

const plain = (text: string) =>
  text
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim()

/** Texts of a Vietnamese page that are those of the English one, or that are no Vietnamese. */
export function untranslated(vietnamese: readonly string[], english: readonly string[]): string[] {
  const others = new Set(english)
  return [...new Set(vietnamese)].filter(
    (text) => !isName(text) && (others.has(text) || (wordsIn(text).length > FEW_WORDS && !MARKED.test(text))),
  )
}

const TEMPLATE = String.raw`${'`'}(?:\\[\s\S]|\$\{(?:[^{}${'`'}]|${'`'}[^${'`'}]*${'`'})*\}|[^${'`'}\\\n])*${'`'}`
const LITERAL = String.raw`(?:html)?(?:'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|${TEMPLATE})`
const PAIR = new RegExp(String.raw`\ben: (${LITERAL}),\s*vi: (${LITERAL})`, 'g')

/** What is wrong with the translations in a source. */
export function badTranslations(source: string): string[] {
  return [...source.matchAll(PAIR)].flatMap(([, en = '', vi = '']) => {
    const complaints = [
      ...untranslated([spoken(vi)], [spoken(en)]).map(() => 'it is not translated'),
      ...unlike(MUST_BE_SAME, en, vi),
    ]
    return complaints.map((complaint) => `${complaint}: ${en} / ${vi}`)
  })
}

/** What a translation keeps: for each kind of it, what a text has of that kind. */
export type Kept<T> = readonly (readonly [what: string, of: (text: T) => unknown[]])[]

/** Of what a translation keeps, each kind that it has changed. */
export function unlike<T>(kept: Kept<T>, original: T, translation: T): string[] {
  return kept
    .filter(([, of]) => String(of(original)) !== String(of(translation)))
    .map(([what]) => `other ${what}`)
}

const MUST_BE_SAME: Kept<string> = [
  [
    'code',
    (text) =>
      (text.match(text.startsWith('html') ? /<code>[^<]*<\/code>/g : /(?!^)`[^`$]+`(?!$)/g) ?? []).sort(),
  ],
  ['links', (text) => text.match(/href="[^"]*"/g) ?? []],
  ['numbers', (text) => (text.replace(/<[^>]*>|\$\{[^}]*\}/g, '').match(/\d+/g) ?? []).sort()],
]

const spoken = (literal: string) =>
  plain(
    literal
      .replace(/^(?:html)?.|.$/g, '')
      .replace(/<code>.*?<\/code>/g, '')
      .replace(/<[^>]*>|\$\{[^}]*\}/g, ' '),
  )

/** The literals of a script that a reader may see in one language only. */
export function hardCoded(source: string): string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .replace(/^import [\s\S]*? from .*$|^import .*$/gm, '')
    .replace(PAIR, '')
    // The source of a regular expression.
    .replace(/String\.raw`[^`]*`/g, '')
    // A regular expression may have a quote in it.
    .replace(/(?<=[=(,:!&|?{};[]\s*|return )\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n*])+\/[dgimsuvy]*/g, '')
    .replace(new RegExp(String.raw`new Error\(\s*${LITERAL}`, 'g'), '')
  const literals = [...code.matchAll(new RegExp(LITERAL, 'g'))].map(([literal]) => spoken(literal))
  return literals.filter((text) => looksSpoken(text) && !isName(text))
}

/** Two words, or one with a capital letter as in a button. */
const looksSpoken = (text: string) =>
  /\p{Ll}{2,}[,.:;]? \p{Ll}{2,}/u.test(text) || /^\p{Lu}\p{Ll}+[.:…]?$/u.test(text)
