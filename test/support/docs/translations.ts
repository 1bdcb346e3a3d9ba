import { type Kept, unlike, untranslated } from '../languages.ts'
import { parsePage } from './markdown.ts'

/** A heading, a paragraph, an entry of a list, a row of a table, or a block of code. */
interface Block {
  kind: string
  text: string
}

/** How a translated page differs from its original, a sentence each. The line with the switch is left out. */
export function differences(english: string, vietnamese: string): string[] {
  const [originals, translations] = [blocksOf(english), blocksOf(vietnamese)]
  const kinds = (blocks: readonly Block[]) => blocks.map(({ kind }) => kind).join('\n')
  if (kinds(originals) !== kinds(translations)) return [shapeDifference(originals, translations)]
  return translations.flatMap((block, at) => {
    const original = originals[at] ?? block
    if (block.kind === 'code') return block.text === original.text ? [] : [`other code: ${block.text}`]
    const [before, after] = [
      { text: original.text, page: english },
      { text: block.text, page: vietnamese },
    ]
    const complaints = unlike(KEPT, before, after).map((what) => `${what}: ${block.text}`)
    const left = untranslated([prose(block.text)], [prose(original.text)]).map(
      (text) => `in English: ${text}`,
    )
    return [...complaints, ...left]
  })
}

function shapeDifference(originals: readonly Block[], translations: readonly Block[]): string {
  const at = originals.findIndex(({ kind }, index) => kind !== translations[index]?.kind)
  const name = ({ kind, text } = { kind: 'nothing', text: '' }) => `${kind} "${text}"`
  return at < 0
    ? `one more: ${name(translations[originals.length])}`
    : `${name(translations[at])} stands for ${name(originals[at])}`
}

function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let isCode = false
  let isOpen = false
  for (const line of page.split('\n')) {
    if (/^ *```/.test(line)) {
      isCode = !isCode
      if (isCode) blocks.push({ kind: 'code', text: line })
      isOpen = false
    } else if (isCode) blocks.push({ kind: 'code', text: line })
    else if (line === '' || line.includes('**English**') || line.includes('**Tiếng Việt**')) isOpen = false
    else {
      const kind = kindOf(line)
      const last = blocks.at(-1)
      if (isOpen && kind === 'paragraph' && last) last.text += ` ${line.trim()}`
      else blocks.push({ kind, text: line })
      isOpen = !kind.startsWith('heading')
    }
  }
  return blocks
}

function kindOf(line: string): string {
  const [, heading, entry, row] = /^(#+) |^( *(?:-|\d+\.)) |^(\|)/.exec(line) ?? []
  if (heading !== undefined) return `heading ${heading.length}`
  if (entry !== undefined) return `entry ${entry}`
  return row === undefined ? 'paragraph' : `row of ${line.split('|').length}`
}

const KEPT: Kept<{ text: string; page: string }> = [
  ['code', ({ text }) => (text.match(/`[^`]+`/g) ?? []).sort()],
  ['numbers', ({ text }) => (text.replace(/`[^`]+`|\]\([^)]*\)/g, '').match(/\d+(?:\.\d+)?/g) ?? []).sort()],
  [
    'links',
    ({ text, page }) =>
      parsePage('docs/page.md', text)
        .links.map((link) => targetIn(page, link))
        .sort(),
  ],
]

/** A heading of the same page by its number, because its words differ. */
function targetIn(page: string, link: string): string | number {
  return link.startsWith('#') ? [...parsePage('docs/page.md', page).anchors].indexOf(link.slice(1)) : link
}

/** The words of a block, without code, marks and targets of links. */
const prose = (text: string) =>
  text
    .replace(/`[^`]+`|\]\([^)]*\)/g, ' ')
    .replace(/[#*|[\]]|^ *(?:-|\d+\.) /g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
