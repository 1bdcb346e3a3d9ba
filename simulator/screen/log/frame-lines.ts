import { chop, printable } from '../drawing/text.ts'

/**
 * A frame in readable form: one JSON field per line if the frame is JSON, and below it the frame as sent. No row is
 * wider than `columns` cells.
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
