/** A part of a text, and whether it is what was searched for. */
export interface SearchPart {
  text: string
  isMatch: boolean
}

/** Whether the text holds the query, in any case and with or without accents. An empty query is in no text. */
export function holds(text: string, query: string): boolean {
  return query !== '' && plainText(text).includes(plainText(query))
}

/** The text in parts: what was searched for, and what lies between. */
export function partsOf(text: string, query: string): SearchPart[] {
  if (query === '') return [{ text, isMatch: false }]
  const [plain, wanted] = [plainText(text), plainText(query)]
  const parts: SearchPart[] = []
  let from = 0
  for (let at = plain.indexOf(wanted); at >= 0; at = plain.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), isMatch: false })
    from = at + wanted.length
    parts.push({ text: text.slice(at, from), isMatch: true })
  }
  return from < text.length ? [...parts, { text: text.slice(from), isMatch: false }] : parts
}

/** Without case and accents ("năm" is "nam"), unit by unit: every place in it is the same place in the text. */
function plainText(text: string): string {
  let plain = ''
  for (let index = 0; index < text.length; index += 1) plain += plainUnit(text.charAt(index))
  return plain
}

function plainUnit(unit: string): string {
  if (unit === 'đ' || unit === 'Đ') return 'd'
  // A non-breaking space is a space to a person.
  if (unit === '\u00a0') return ' '
  const lower = unit.normalize('NFD').charAt(0).toLowerCase()
  return lower.length === 1 ? lower : unit
}
