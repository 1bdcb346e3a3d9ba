/** What the victim does over new connections: reports a payment, checks the hub's health, and connects a speaker. */
export const KINDS = ['callback', 'health', 'speaker'] as const
export type Kind = (typeof KINDS)[number]

/** Of each kind a second: enough for a p99 after ten seconds. */
const PER_SECOND = 10

/** How the new connections of one kind fared. */
export interface Fared {
  opened: number
  /** Of those that were answered: milliseconds from the connect to the answer, sorted. */
  times: number[]
  /** Why the others were not, and how often. */
  unanswered: Map<string, number>
}

export type Newcomers = Partial<Record<Kind, Fared>>

/** Opens one connection; resolves when it is answered, or with the reason why it is not. */
export type Open = () => Promise<string | undefined>

/** Opens new connections of each kind, whether or not earlier ones are answered. Returns a function that ends this. */
export function openNewcomers(kinds: Record<Kind, Open>): () => Promise<Newcomers> {
  const watched = {
    callback: watch(kinds.callback),
    health: watch(kinds.health),
    speaker: watch(kinds.speaker),
  }
  const opening = setInterval(() => {
    for (const kind of KINDS) watched[kind].open()
  }, 1_000 / PER_SECOND)
  return async () => {
    clearInterval(opening)
    return {
      callback: await watched.callback.fared(),
      health: await watched.health.fared(),
      speaker: await watched.speaker.fared(),
    }
  }
}

function watch(open: Open) {
  const under: Promise<void>[] = []
  const times: number[] = []
  const unanswered = new Map<string, number>()
  return {
    open() {
      const openedAt = performance.now()
      const answered = open().then((reason) => {
        if (reason === undefined) times.push(performance.now() - openedAt)
        else unanswered.set(reason, (unanswered.get(reason) ?? 0) + 1)
      })
      under.push(answered)
    },
    async fared(): Promise<Fared> {
      await Promise.all(under)
      return { opened: under.length, times: times.toSorted((a, b) => a - b), unanswered }
    },
  }
}
