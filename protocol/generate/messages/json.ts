/** A value that is longer takes one line per item. */
const WIDTH = 140

/** Formats JSON files: a value that fits one line takes one line, which makes diffs readable. */
export function toJson(value: unknown): string {
  return `${lines(value, '')}\n`
}

function lines(value: unknown, indent: string): string {
  const flat = oneLine(value)
  if (indent !== '' && flat.length + indent.length <= WIDTH) return flat
  const deeper = `${indent} `
  if (Array.isArray(value)) {
    const items = value.map((item) => `\n${deeper}${lines(item, deeper)}`)
    return `[${items.join(',')}\n${indent}]`
  }
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined)
    const texts = fields.map(([name, field]) => `\n${deeper}${JSON.stringify(name)}: ${lines(field, deeper)}`)
    return `{${texts.join(',')}\n${indent}}`
  }
  return flat
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([name, field]) => `${JSON.stringify(name)}: ${oneLine(field)}`).join(', ')} }`
}
