/** When a speaker was on the line, by `performance.now()`. */
export interface OnLine {
  begin(): void
  /** Ends what began last, if it has not ended. */
  end(): void
  /** The longest time on the line within a span, milliseconds. */
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
