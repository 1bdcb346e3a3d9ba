/** The smallest time told apart, milliseconds; and how far one bucket is above the one below it. */
const FIRST_MS = 0.1
const GROWTH = 1.02
/** Ten minutes: nothing that a speaker waits for takes longer, and its `max` is kept exactly. */
const LAST_MS = 600_000
const LOG_GROWTH = Math.log(GROWTH)
const BUCKETS = Math.ceil(Math.log(LAST_MS / FIRST_MS) / LOG_GROWTH) + 1

/** Times in milliseconds. */
export interface Percentiles {
  count: number
  p50: number
  p90: number
  p99: number
  /** The longest, exactly. */
  max: number
}

/**
 * Times in milliseconds, however many, in 3 KB: a percentile is at most 1 % beside that of the sorted times
 * (nearest rank), and no less than 0.1 ms. Why not the times themselves: a fleet of 5,000 measures millions.
 */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  record(ms: number): void {
    const bucket = bucketOf(ms)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count += 1
    this.#max = Math.max(this.#max, ms)
  }

  /** Takes in what another has counted. */
  add(other: Histogram): void {
    for (let bucket = 0; bucket < BUCKETS; bucket += 1)
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + (other.#counts[bucket] ?? 0)
    this.#count += other.#count
    this.#max = Math.max(this.#max, other.#max)
  }

  clear(): void {
    this.#counts.fill(0)
    this.#count = 0
    this.#max = 0
  }

  /** Undefined while nothing was recorded. */
  percentiles(): Percentiles | undefined {
    if (this.#count === 0) return undefined
    const [p50 = 0, p90 = 0, p99 = 0] = [0.5, 0.9, 0.99].map((share) => this.#at(share))
    return { count: this.#count, p50, p90, p99, max: this.#max }
  }

  #at(share: number): number {
    const rank = Math.ceil(share * this.#count)
    let seen = 0
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      seen += this.#counts[bucket] ?? 0
      if (seen >= rank) return Math.min(middleOf(bucket), this.#max)
    }
    return this.#max
  }
}

function bucketOf(ms: number): number {
  if (ms <= FIRST_MS) return 0
  return Math.min(BUCKETS - 1, 1 + Math.floor(Math.log(ms / FIRST_MS) / LOG_GROWTH))
}

/** The value that is the same factor away from both ends of the bucket. */
function middleOf(bucket: number): number {
  return bucket === 0 ? FIRST_MS : FIRST_MS * GROWTH ** (bucket - 0.5)
}

const SLICE_MS = 10_000
const SLICES = 6

/** The times of the last minute: of the present ten seconds, and of the five times ten before them. */
export class RecentHistogram {
  readonly #slices = Array.from({ length: SLICES }, () => ({ number: -1, times: new Histogram() }))

  record(nowMs: number, ms: number): void {
    const number = Math.floor(nowMs / SLICE_MS)
    const slice = this.#slices[number % SLICES]
    if (!slice) return
    if (slice.number !== number) {
      slice.number = number
      slice.times.clear()
    }
    slice.times.record(ms)
  }

  percentiles(nowMs: number): Percentiles | undefined {
    const present = Math.floor(nowMs / SLICE_MS)
    const all = new Histogram()
    for (const { number, times } of this.#slices)
      if (number >= 0 && number <= present && number > present - SLICES) all.add(times)
    return all.percentiles()
  }
}
