/** The smallest resolved time in milliseconds, and the growth factor from one bucket to the next. */
const FIRST_MS = 0.1
const GROWTH = 1.02
/** Ten minutes: no wait of a speaker is longer, and `max` is exact. */
const LAST_MS = 600_000
const LOG_GROWTH = Math.log(GROWTH)
const BUCKETS = Math.ceil(Math.log(LAST_MS / FIRST_MS) / LOG_GROWTH) + 1

/** Times in milliseconds. */
export interface Percentiles {
  count: number
  p50: number
  p90: number
  p95: number
  p99: number
  /** The longest, exactly. */
  max: number
}

/** How many times are in each bucket that has some, by its number from 0 on. */
export interface BucketCounts {
  /** The longest time, exactly. */
  max: number
  counts: [bucket: number, count: number][]
}

/**
 * Any number of times in milliseconds, in 3 KB. A percentile differs by at most 1 % from that of the sorted times
 * (nearest rank) and is at least 0.1 ms. A fleet of 5,000 measures millions of times, too many to keep.
 */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS)
  #count = 0
  #max = 0

  /** The times that `buckets` has written. */
  static from({ max, counts }: BucketCounts): Histogram {
    const histogram = new Histogram()
    for (const [bucket, count] of counts) {
      if (bucket >= BUCKETS) continue
      histogram.#counts[bucket] = count
      histogram.#count += count
    }
    histogram.#max = max
    return histogram
  }

  get count(): number {
    return this.#count
  }

  /** What `from` reads, to add up histograms of several processes. */
  buckets(): BucketCounts {
    const counts = [...this.#counts.entries()].filter(([, count]) => count > 0)
    return { max: this.#max, counts }
  }

  record(ms: number): void {
    const bucket = bucketOf(ms)
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#count += 1
    this.#max = Math.max(this.#max, ms)
  }

  /** Adds the counts of another histogram. */
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

  /** Undefined before the first time. */
  percentiles(): Percentiles | undefined {
    if (this.#count === 0) return undefined
    const [p50 = 0, p90 = 0, p95 = 0, p99 = 0] = [0.5, 0.9, 0.95, 0.99].map((share) => this.#at(share))
    return { count: this.#count, p50, p90, p95, p99, max: this.#max }
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

/** The geometric middle of a bucket. */
function middleOf(bucket: number): number {
  return bucket === 0 ? FIRST_MS : FIRST_MS * GROWTH ** (bucket - 0.5)
}

const SLICE_MS = 10_000
const SLICES = 6

/** The times of the last minute, in six slices of ten seconds. */
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
    return this.last(nowMs).percentiles()
  }

  /** The times of the last minute in one histogram. */
  last(nowMs: number): Histogram {
    const present = Math.floor(nowMs / SLICE_MS)
    const all = new Histogram()
    for (const { number, times } of this.#slices)
      if (number >= 0 && number <= present && number > present - SLICES) all.add(times)
    return all
  }
}

/** Times of the whole run and of the last minute. */
export class Measured {
  readonly all = new Histogram()
  readonly recent = new RecentHistogram()

  record(nowMs: number, ms: number): void {
    this.all.record(ms)
    this.recent.record(nowMs, ms)
  }
}
