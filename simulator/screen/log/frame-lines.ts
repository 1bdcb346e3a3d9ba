import { chop, printable } from '../drawing/text.ts'

/**
 * A frame for reading: its fields a line each, as far as it is JSON, and below it as it passed. No row is wider
 * than `columns` cells.
 */
export function frameLines(frame: string, columns: number): string[] {
  const fields = fieldsOf(frame)
  const asItPassed = chop(printable(frame), columns)
  if (!fields) return asItPassed
  return [...fields.flatMap((line) => chop(printable(line), columns)), '', 'as it passed:', ...asItPassed]
}

function fieldsOf(frame: string): string[] | undefined {
  try {
    return JSON.stringify(JSON.parse(frame), undefined, 2).split('\n')
  } catch {
    return undefined
  }
}
