/** The spans in which a speaker was connected, by `performance.now()`. */
export interface OnLine {
  begin(): void
  /** Ends the newest span if it is open. */
  end(): void
  /** The longest connected time between two moments, in milliseconds. */
  longest(from: number, until: number): number
}

export function watchOnLine(): OnLine {
  /** The last one may still be open. */
  const spans: { from: number; until: number }[] = []
  return {
    begin: () => void spans.push({ from: performance.now(), until: Number.POSITIVE_INFINITY }),
    end() {
      const span = spans.at(-1)
      if (span) span.until = Math.min(span.until, performance.now())
    },
    longest(from, until) {
      const within = spans.map((span) => Math.min(span.until, until) - Math.max(span.from, from))
      return Math.max(0, ...within)
    },
  }
}
