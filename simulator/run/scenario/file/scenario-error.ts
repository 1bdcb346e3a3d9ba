/** A mistake in a scenario file. */
export interface Mistake {
  file: string
  /** Undefined when the file has no lines: it can't be read, or is a folder. */
  line?: number | undefined
  message: string
}

/** Files are not valid scenarios. The message lists every mistake with file and line. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError'
  readonly mistakes: readonly Mistake[]

  constructor(mistakes: readonly Mistake[]) {
    super(mistakes.map(describeMistake).join('\n'))
    this.mistakes = mistakes
  }
}

export function describeMistake({ file, line, message }: Mistake): string {
  return line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`
}
