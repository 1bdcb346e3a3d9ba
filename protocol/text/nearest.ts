/** A word may have one mistake, and one for each so many letters of it. A single letter has none. */
const LETTERS_PER_MISTAKE = 3

/** The known word that is reached by the fewest changes: letters put in, left out, replaced or swapped. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  return byDistance(word, known)[0]?.known
}

/** The known word that was probably meant; undefined when none is like the given one. */
export function guess(word: string, known: Iterable<string>): string | undefined {
  const [best] = byDistance(word, known)
  const most = word.length < 2 ? 0 : Math.max(1, Math.floor(word.length / LETTERS_PER_MISTAKE))
  return best && best.distance <= most ? best.known : undefined
}

function byDistance(word: string, known: Iterable<string>) {
  const lower = word.toLowerCase()
  return [...known]
    .map((one) => ({ known: one, distance: editDistance(lower, one.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
}

/**
 * Levenshtein's distance, with two swapped neighbours as one change, row by row: `row[j]` is the distance of the letters
 * of `a` so far to the first j of `b`.
 */
function editDistance(a: string, b: string): number {
  const [from, to] = [[...a], [...b]]
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [i, letter] of from.entries()) {
    const next = [i + 1]
    for (const [j, other] of to.entries()) {
      const isSwap = j > 0 && letter === to[j - 1] && other === from[i - 1]
      next.push(
        Math.min(
          (next[j] ?? 0) + 1,
          (row[j + 1] ?? 0) + 1,
          (row[j] ?? 0) + (letter === other ? 0 : 1),
          isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    before = row
    row = next
  }
  return row.at(-1) ?? 0
}
