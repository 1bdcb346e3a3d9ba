/** What the addresses of pages are about, in a filled hub. */
export interface About {
  partner: string
  /** A payment, of many. */
  payment(round: number): string
  /** The date of a whole day of payments. */
  date: string
  webhook: string
  statement: string
  devices: number
}

/** A page of the console. */
export interface BenchPage {
  name: string
  /** Its address in each round. */
  path(about: About, round: number): string
  /** The page is kept for so long: each request waits so long for the next one. Milliseconds. */
  keptMs?: number
}

const serial = ({ devices }: About, round: number) => `SEED-${(round * 7_919) % devices}`
const fixed = (path: string): BenchPage => ({ name: path, path: () => path })
const of = (name: string, path: BenchPage['path']): BenchPage => ({ name, path })

/** Every page that somebody looks at, and the filters of each list. */
export const PAGES: readonly BenchPage[] = [
  { ...fixed('/'), keptMs: 510 },
  fixed('/devices'),
  ...['online', 'offline', 'locked', 'free', 'revoked'].map((state) => fixed(`/devices?state=${state}`)),
  fixed('/devices?battery=15'),
  fixed('/devices?silence=30m'),
  fixed('/devices?silence=2d'),
  fixed('/devices?silence=60d'),
  fixed('/devices?state=offline&battery=15'),
  of('/devices?serial=', (_, round) => `/devices?serial=SEED-${10 + (round % 90)}`),
  of(
    '/devices?state=offline, a later page',
    ({ devices }, round) => `/devices?state=offline&after=${devices - ((round * 997) % devices)}`,
  ),
  of('/devices/{serial}', (about, round) => `/devices/${serial(about, round)}`),
  fixed('/payments'),
  fixed('/payments?from=7d'),
  fixed('/payments?from=30d&stage=expired'),
  fixed('/payments?from=30d&stage=failed'),
  of('/payments?shop=', ({ devices }, round) => `/payments?shop=TILL-${(round * 7_919) % devices}`),
  of('/payments?code=', (_, round) => `/payments?code=FT${(round * 9_973) % 1_000_000}`),
  of('/payments?code=, a trace that is not there', (_, round) => `/payments?code=T${round}`),
  fixed('/payments?min=1000000&max=2000000'),
  of('/payments/{id}', (about, round) => `/payments/${about.payment(round)}`),
  fixed('/day'),
  of('/day?partner=', ({ partner, date }) => `/day?date=${date}&partner=${partner}`),
  of(
    '/day?partner=, a later page',
    ({ partner, date, devices }, round) =>
      `/day?date=${date}&partner=${partner}&before=${devices - ((round * 997) % devices)}`,
  ),
  of('/day?account=', ({ partner, date }) => `/day?date=${date}&partner=${partner}&account=4567`),
  of(
    '/day?account=, which is not there',
    ({ partner, date }) => `/day?date=${date}&partner=${partner}&account=999999`,
  ),
  of('/day/statements/{id}', ({ statement }) => `/day/statements/${statement}`),
  of(
    '/day/statements/{id}?bucket=hub_only',
    ({ statement }) => `/day/statements/${statement}?bucket=hub_only`,
  ),
  fixed('/webhooks'),
  of('/webhooks/{id}', ({ webhook }) => `/webhooks/${webhook}`),
  of('/search?q=, a shop', (_, round) => `/search?q=Shop+${(round * 7_919) % 100_000}`),
  of('/search?q=, an amount', () => '/search?q=50.000'),
  of('/search?q=, not there', (_, round) => `/search?q=HD-${round}`),
  fixed('/audit'),
  fixed('/audit?subject=SEED-1'),
  fixed('/clock'),
]

/** These look through all devices while nobody has come back. */
export const AFTER_RESTART: readonly BenchPage[] = [
  { ...fixed('/'), keptMs: 510 },
  fixed('/devices'),
  fixed('/devices?state=online'),
  fixed('/devices?state=offline'),
  fixed('/devices?silence=30m'),
  fixed('/devices?silence=60d'),
  fixed('/devices?battery=100&silence=60d&serial=SEED-'),
]
