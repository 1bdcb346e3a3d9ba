/** Columns of the report. */
export const WIDTH = 80

/**
 * Wraps text. The first line starts with `lead`, and the others are indented by its width. Long words are not split.
 */
export function wrap(lead: string, text: string, width = WIDTH): string[] {
  const lines: string[] = []
  const indent = ' '.repeat(lead.length)
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && lead.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((text, index) => `${index === 0 ? lead : indent}${text}`)
}
