/** One change of one source file, made by a rule. */
export interface Edit {
  /** From the root of the repository. */
  file: string
  line: number
  /** The function, method or constant that it is in. */
  place: string
  rule: string
  /** The characters that `text` replaces. */
  start: number
  end: number
  /** The characters themselves, on one line. */
  was: string
  text: string
  /** The code around the change, on one line: names the edit without line numbers. */
  before: string
  after: string
}

export function applyEdit(
  source: string,
  { start, end, text }: Pick<Edit, 'start' | 'end' | 'text'>,
): string {
  return source.slice(0, start) + text + source.slice(end)
}

/** The same as long as the code around it is the same. */
export function keyOf({ file, place, before, after }: Edit): string {
  return `${file} ${place}: ${before} → ${after}`
}
