import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import { CannotStart } from '../../../platform/errors.ts'
import { type HubCommand, ownDevices, ownPartner } from '../../fleet/devices/devices.ts'
import { runHubCommand } from '../../hub/hub-command.ts'
import { Accounts } from '../model/accounts.ts'
import { ClusterHub } from './cluster-hub.ts'
import { Database } from './database.ts'
import { type Line, openLine, startSpeakers } from './line.ts'
import { createWaits, type Waits } from './waits.ts'

const HUBS = 3
/** Short enough to watch, long enough to see speakers move one after another. */
const DRAIN_S = 8
/** The longest that a callback is repeated and its announcement is on its way, together. */
const SETTLED_WITHIN_MS = 300_000
/** Twice the longest sentence. */
const LAST_SENTENCE_MS = 15_000

/** Settings of the hubs: all speakers and payments come from one address and one partner. */
const SETTINGS = {
  HUB_DRAIN_S: String(DRAIN_S),
  ...{ HUB_RATE_PER_SECOND: '1000', HUB_RATE_BURST: '2000', HUB_MQTT_CONNECTS_PER_SECOND: '1000' },
}

export interface ClusterOptions {
  speakers: number
  /** Payments per second. */
  perSecond: number
  environment: NodeJS.ProcessEnv
  clock: Clock
  random: () => number
  /** Called with a sentence for everything that happens. */
  log: (line: string) => void
  /** Watches the cluster from when its speakers connect. Returns a function that ends it. */
  watch: (cluster: Cluster) => () => void
}

/**
 * A PostgreSQL of its own, three hubs, a balancer, speakers and a payment processor. The functions that change it
 * return at once, and report what happens to `log`.
 */
export class Cluster {
  readonly accounts = new Accounts()
  readonly hubs: readonly ClusterHub[]
  readonly database: Database
  /** Undefined while it starts. */
  line: Line | undefined
  phase: 'starting' | 'running' | 'settling' | 'settled' = 'starting'
  isPaying = false
  readonly waits: Waits
  readonly #options: ClusterOptions
  readonly #env: NodeJS.ProcessEnv
  readonly #folder = mkdtempSync(join(tmpdir(), 'soundbox-cluster-'))
  readonly #ended = new AbortController()
  #cancelWatch = () => {}

  constructor(options: ClusterOptions) {
    const { clock, environment, log } = options
    this.#options = options
    this.waits = createWaits(this.#ended.signal)
    // Where PostgreSQL runs as another user, that one must reach its folder in this one.
    chmodSync(this.#folder, 0o711)
    this.database = new Database(join(this.#folder, 'database'), clock)
    process.once('exit', this.#removeFolder)
    const others = Object.entries(environment).filter(([name]) => !name.startsWith('HUB_'))
    const key = randomBytes(32).toString('base64')
    this.#env = { ...Object.fromEntries(others), ...SETTINGS, HUB_MASTER_KEY: key }
    this.hubs = Array.from({ length: HUBS }, (_, index) => {
      const number = index + 1
      const env = this.#env
      return new ClusterHub({ number, env, clock, log, dataDir: join(this.#folder, `hub-${number}`) })
    })
  }

  get speakers(): number {
    return this.#options.speakers
  }

  get perSecond(): number {
    return this.#options.perSecond
  }

  /** Resolves when all speakers have their shop and payments flow. Rejects with a sentence. */
  async start(): Promise<void> {
    const { speakers, log } = this.#options
    const { hubs, database } = this
    log('PostgreSQL makes its database.')
    await this.#go(database.start())
    this.#env.HUB_DATABASE_URL = database.url
    log(`PostgreSQL is up at ${new URL(database.url).host}.`)
    const hub: HubCommand = (args) =>
      runHubCommand({ ...this.#env, HUB_DATA_DIR: this.#folder }, args, {
        signal: this.#ended.signal,
      })
    const [devices, partner] = await this.#go(
      Promise.all([
        ownDevices(this.#folder, speakers, hub),
        ownPartner(this.#folder, hub),
        ...hubs.map((one) => one.start()),
      ]),
    )
    if (hubs.some(({ state }) => state !== 'up')) throw new CannotStart('A hub did not start.')
    log(
      `${hubs.length} hubs are up for partners at ${hubs.map(({ http }) => new URL(http).host).join(', ')}.`,
    )
    const { accounts } = this
    const { perSecond, clock, random } = this.#options
    const line = await this.#go(openLine({ hubs, devices, partner, accounts, perSecond, clock, random }))
    this.line = line
    await this.#go(line.client.logIn())
    log(`The balancer is at ${new URL(line.balancer.url).host}. ${speakers} speakers connect to it.`)
    startSpeakers(line, accounts)
    this.#cancelWatch = this.#options.watch(this)
    const { shops } = line
    await this.waits.until('the registration of all speakers', () => {
      if (shops.failed > 0) throw new CannotStart(`A speaker was not registered: ${shops.lastFailure}`)
      return shops.ready.length === speakers
    })
    this.phase = 'running'
    this.pay(true)
  }

  /** Whether every speaker is connected, and the hub has welcomed it. */
  get isWhole(): boolean {
    return this.line?.fleet.roster.totals.links.connected === this.speakers
  }

  /** The hub of each speaker by its place in `hubs`; undefined for a speaker that is not connected. */
  places(): (number | undefined)[] {
    const { line } = this
    if (!line) return []
    return line.fleet.roster.rows.map(({ link, serial }) =>
      link === 'connected' ? line.balancer.hubOf(serial) : undefined,
    )
  }

  pay(isPaying: boolean): void {
    const { line, phase } = this
    if (!line || phase !== 'running' || this.isPaying === isPaying) return
    this.isPaying = isPaying
    if (isPaying) line.processor.start()
    else line.processor.stop()
    this.#options.log(isPaying ? `Payments begin: ${this.perSecond} a second.` : 'Payments end.')
  }

  kill(hub: ClusterHub): void {
    if (hub.state === 'dead') return
    this.#options.log(`kill -9 of ${hub.name}: ${this.#speakersOf(hub)} lose their connection.`)
    hub.kill()
  }

  /** Freezes a hub that is up, and wakes up one that is frozen. */
  freeze(hub: ClusterHub): void {
    const { log } = this.#options
    if (hub.state === 'up') {
      log(
        `SIGSTOP of ${hub.name}: it answers nothing and closes nothing. The balancer will cut ${this.#speakersOf(hub)}.`,
      )
      hub.freeze()
    } else if (hub.state === 'frozen') {
      log(`SIGCONT of ${hub.name}: it wakes up with its old sessions. They are fenced.`)
      hub.thaw()
    }
  }

  drain(hub: ClusterHub): void {
    if (hub.state !== 'up') return
    this.#options.log(
      `SIGTERM of ${hub.name}: it hands ${this.#speakersOf(hub)} over, evenly over ${DRAIN_S} s.`,
    )
    hub.drain()
  }

  startHub(hub: ClusterHub): void {
    if (hub.state !== 'dead' || this.phase === 'starting') return
    const { log } = this.#options
    log(`${hub.name} starts.`)
    void hub.start().then(() => {
      if (hub.state === 'up') log(`${hub.name} is up again.`)
    })
  }

  /** Ends all processes of PostgreSQL at once. */
  crashDatabase(): void {
    const { log } = this.#options
    if (this.database.state !== 'up' || this.phase === 'starting') return
    log('kill -9 of PostgreSQL: the hubs answer 503, and the processor repeats.')
    this.database.crash().catch((error: unknown) => log(messageOf(error)))
  }

  startDatabase(): void {
    const { log } = this.#options
    if (this.database.state !== 'stopped' || this.phase === 'starting') return
    log('PostgreSQL starts.')
    this.database.start().then(
      () => log('PostgreSQL is up again.'),
      (error: unknown) => log(`PostgreSQL did not start: ${messageOf(error)}`),
    )
  }

  /**
   * Ends the payments, brings back what is down, and waits until every payment has its outcome. Resolves with a sentence
   * when some have none in time.
   */
  async settle(): Promise<string | undefined> {
    const { line } = this
    if (!line || this.phase !== 'running') return 'The cluster was not running.'
    this.pay(false)
    this.phase = 'settling'
    this.startDatabase()
    for (const hub of this.hubs) {
      if (hub.state === 'frozen') this.freeze(hub)
      this.startHub(hub)
    }
    const { totals } = line.fleet.roster
    const { clock } = this.#options
    const isOver = () => this.accounts.figures().underWay === 0 && line.processor.underWay === 0
    try {
      await this.waits.until('the outcome of every payment', isOver, SETTLED_WITHIN_MS)
      const until = clock.now() + LAST_SENTENCE_MS
      await this.waits.until('the last sentence', () => totals.speaking === 0 || clock.now() > until)
    } catch (error) {
      line.processor.cut()
      return `${messageOf(error)}: ${this.accounts.figures().underWay} are still under way.`
    }
    this.phase = 'settled'
    return undefined
  }

  /** Ends everything at once, also a start that is under way, and removes the folder. */
  async close(): Promise<void> {
    this.#ended.abort()
    this.#cancelWatch()
    const { line, hubs, database } = this
    line?.processor.cut()
    line?.shops.stop()
    await line?.fleet.cut()
    line?.balancer.close()
    await Promise.all(hubs.map((hub) => hub.end()))
    await database.end()
    this.#removeFolder()
    process.off('exit', this.#removeFolder)
  }

  readonly #removeFolder = () => rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 })

  /** The result of a step of the start. Rejects when the cluster was closed meanwhile. */
  async #go<T>(step: Promise<T>): Promise<T> {
    const result = await step
    this.#ended.signal.throwIfAborted()
    return result
  }

  #speakersOf(hub: ClusterHub): string {
    const place = this.hubs.indexOf(hub)
    const count = this.places().filter((one) => one === place).length
    return `${count} ${count === 1 ? 'speaker' : 'speakers'}`
  }
}
