import fc from 'fast-check'
import { expect } from 'vitest'
import { ROUTES } from '../../../server/console/routes/routes.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { browsersAt } from '../../support/console.ts'
import { startTestHub } from '../../support/hub.ts'
import { eventually } from '../../support/wait.ts'
import { addressesOf, type Filled, fillHub, PLAIN, type Texts } from './filled.ts'
import { tagsOf } from './tree.ts'

const TRICKS = [
  ...['</script><script>alert(1)</script>', '<img src=x onerror=alert(1)>', '"><svg onload=alert(1)>'],
  ...["' autofocus onfocus='alert(1)", '<!--', '-->', ']]>', '</title>', '</textarea>', '<plaintext>'],
  ...[
    '&lt;b&gt;',
    '&#60;b&#62;',
    '$&',
    '\u202e',
    '\u2066',
    '\u200f',
    '\u0000',
    '\r\n\r\n',
    '\u2028',
    '\ufeff',
  ],
  ...['javascript:alert(1)', '//evil.example', '../../audit', '?as=csv#', '%3Cb%3E', '=HYPERLINK("x")', '`'],
]

/** What a partner, a device or a processor may write. */
const hostileText = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...TRICKS), { minLength: 1, maxLength: 6 })
      .map((all) => all.join('')),
  },
  { weight: 2, arbitrary: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...TRICKS).map((text) => text.repeat(400)) },
)

const hostileTexts = fc.record<Texts>(
  Object.fromEntries(Object.keys(PLAIN).map((name) => [name, hostileText])) as Record<
    keyof Texts,
    fc.Arbitrary<string>
  >,
)

/** Fields of forms, whose texts stand in the page that answers. */
const ASKED = {
  ...{ search: ['q'], payments: ['code', 'from', 'until', 'shop', 'min'], devices: ['serial', 'silence'] },
  ...{ webhooks: ['partner'], audit: ['actor', 'subject', 'since'], day: ['date', 'zone', 'account'] },
  ...{ login: ['link'] },
}

interface Tags {
  /** By page: the same for whatever texts. */
  pages: Record<string, string[]>
  /** Of pages whose address has a text, which may find something, or not, or be refused. */
  asked: Set<string>
}

/** The tags of all pages of an admin, in both languages. */
async function tagsWith(texts: Texts): Promise<Tags> {
  const closers: (() => void | Promise<void>)[] = []
  const hub = await startTestHub({ onEnd: (close) => void closers.push(close) })
  try {
    const filled = await fillHub(hub.storage, texts)
    const admin = await browsersAt(hub).logIn('admin', texts.holder)
    // On a loaded machine the first page does not wait for its first count.
    await eventually(async () => expect(await (await admin.get('/')).text()).not.toContain('Counting'))
    const { pages, asked }: Tags = { pages: {}, asked: new Set() }
    const keep = async (name: string, answer: Response) => {
      const text = await answer.text()
      if (answer.headers.get('content-type')?.startsWith('text/html') !== true) return
      // Which rows of a day are matched depends on the texts, and how many statements are looked at on the time.
      if (!/^(\/search|\/day|asked)/.test(name)) pages[`${name} ${answer.status}`] = tagsOf(text)
      else for (const tag of tagsOf(text)) asked.add(tag)
    }
    for (const lang of ['en', 'vi'])
      for (const path of addressesOf(ROUTES, filled))
        await keep(`${nameOf(path, filled)} ${lang}`, await admin.get(path, { 'accept-language': lang }))
    await keep('unsealed', await admin.post(`/payments/${filled.paymentId}/unseal`))
    for (const [page, names] of Object.entries(ASKED)) {
      const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, texts.notice])))
      await keep('asked', await admin.get(`/${page}?${query}`))
    }
    return { pages, asked }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Without what each hub has of its own. */
const nameOf = (path: string, { serial, boxSerial, paymentId, webhookId }: Filled) =>
  path
    .replace(boxSerial, 'BOX')
    .replace(serial, 'SERIAL')
    .replace(paymentId, 'PAYMENT')
    .replace(webhookId, 'WEBHOOK')
    .replace(/\?.*/, '')

/** The first difference of each page whose tags differ. */
function changesOf(pages: Tags['pages'], expected: Tags['pages']) {
  const names = new Set([...Object.keys(pages), ...Object.keys(expected)])
  return [...names].flatMap((name) => {
    const [is = [], harmless = []] = [pages[name], expected[name]]
    const longer = is.length > harmless.length ? is : harmless
    const at = longer.findIndex((_, n) => is[n] !== harmless[n])
    return at < 0 ? [] : [{ name, is: is.slice(at, at + 4), harmless: harmless.slice(at, at + 4) }]
  })
}

/**
 * Fails unless pages with hostile texts have the tags that they have with harmless ones, in so many runs. Each run has a
 * hub of its own and looks at all pages in both languages.
 */
export async function expectNoNewTags(numRuns: number) {
  const harmless = await tagsWith(PLAIN)
  expect(Object.keys(harmless.pages).length).toBeGreaterThan(24)
  const known = new Set([...Object.values(harmless.pages).flat(), ...harmless.asked])
  await fc.assert(
    fc.asyncProperty(hostileTexts, async (texts) => {
      const { pages, asked } = await tagsWith(texts)
      expect(changesOf(pages, harmless.pages)).toEqual([])
      expect([...asked].filter((tag) => !known.has(tag))).toEqual([])
    }),
    { numRuns, endOnFailure: true },
  )
}
