import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import type { BoxKind } from '../../../boxes/kinds.ts'
import { systemClock } from '../../../platform/clock.ts'
import { messageOf } from '../../../platform/error-text.ts'
import { CannotStart } from '../../../platform/errors.ts'
import { freePort } from '../../../platform/free-port.ts'
import { type Balancer, openBalancer } from '../../cluster/parts/balancer.ts'
import { ClusterHub } from '../../cluster/parts/cluster-hub.ts'
import { Database } from '../../cluster/parts/database.ts'
import { createWaits } from '../../cluster/parts/waits.ts'
import { type BoxDevice, type HubDevice, mintBoxes } from '../../hub/box-device.ts'
import { type Credentials, credentials, runHubCommand } from '../../hub/hub-command.ts'
import { type MintedDevice, mintedDevice, OWN_STORAGE } from '../../hub/hub-process.ts'
import { createPartnerClient, type PartnerClient } from '../../hub/partner-client.ts'
import type { HubControl } from '../play/world.ts'

/** Short, because a scenario waits for it. */
const DRAIN_S = 2

export interface OwnHubsOptions {
  environment: NodeJS.ProcessEnv
  /** One on SQLite, or several on a PostgreSQL of their own behind a balancer. */
  count: number
  /** Made for the scenarios, which take theirs one after another. */
  speakers: number
  /** The kinds of boxes. Only one hub alone has a listener for them. */
  boxes: readonly BoxKind[]
  partners: number
  /** Called with a sentence when a hub ends by itself. */
  log: (line: string) => void
}

/**
 * Temporary hubs for scenarios, with speakers and partners that nobody has used. Partners are made one after another
 * while earlier scenarios are played: each takes a command of the hub.
 */
export class OwnHubs implements HubControl {
  /** The address for speakers. */
  url = ''
  /** The address for boxes; empty without boxes. */
  boxUrl = ''
  /** The caller may keep other files in it. */
  readonly folder = mkdtempSync(join(tmpdir(), 'soundbox-scenario-'))
  readonly #hubs: readonly ClusterHub[]
  readonly #options: OwnHubsOptions
  readonly #env: NodeJS.ProcessEnv
  readonly #ended = new AbortController()
  readonly #waits = createWaits(this.#ended.signal)
  readonly #database: Database | undefined
  #balancer: Balancer | undefined
  #devices: MintedDevice[] = []
  readonly #boxes: BoxDevice[] = []
  #partners: Promise<Credentials>[] = []
  /** The address that partners ask, where a step names it. */
  #routed: string | undefined
  /** Whether a scenario ends a hub, so that its end is no news. */
  #isActing = false
  /** What the hubs have said. */
  #said: string[] = []

  private constructor(options: OwnHubsOptions) {
    const { environment, count } = options
    this.#options = options
    this.#env = { ...environment, ...OWN_STORAGE, HUB_DATA_DIR: join(this.folder, 'hub-1') }
    if (count > 1) {
      // Where PostgreSQL runs as another user, that one must reach its folder in this one.
      chmodSync(this.folder, 0o711)
      this.#database = new Database(join(this.folder, 'database'), systemClock)
      this.#env.HUB_MASTER_KEY = randomBytes(32).toString('base64')
      this.#env.HUB_DRAIN_S = String(DRAIN_S)
    }
    this.#hubs = Array.from({ length: count }, (_, index) => {
      const dataDir = join(this.folder, `hub-${index + 1}`)
      const log = (line: string) => this.#log(line)
      return new ClusterHub({ number: index + 1, env: this.#env, dataDir, clock: systemClock, log })
    })
    process.once('exit', this.#removeFolder)
  }

  /** Throws `CannotStart` when a hub does not start. */
  static async open(options: OwnHubsOptions): Promise<OwnHubs> {
    const self = new OwnHubs(options)
    try {
      await self.#open()
      return self
    } catch (error) {
      await self.stop()
      throw new CannotStart(messageOf(error))
    }
  }

  async #open(): Promise<void> {
    const { speakers, boxes, partners } = this.#options
    if (this.#database) {
      await this.#database.start()
      this.#env.HUB_DATABASE_URL = this.#database.url
    }
    if (boxes.length > 0) {
      const port = String(await freePort())
      Object.assign(this.#env, { HUB_BOX_HOST: '127.0.0.1', HUB_BOX_PORT: port })
      this.boxUrl = `mqtt://127.0.0.1:${port}`
    }
    await Promise.all(this.#hubs.map((hub) => this.#start(hub)))
    const [first] = this.#hubs
    if (this.#hubs.length > 1)
      this.#balancer = await openBalancer(
        this.#hubs.map(({ http, mqtt, admin }) => ({ http, mqtt, health: `${admin}/healthz` })),
      )
    this.url = this.#balancer?.url ?? first?.mqtt ?? ''
    for (let number = 1; number <= partners; number += 1) {
      const made = (this.#partners.at(-1) ?? Promise.resolve()).then(() => this.#createPartner(number))
      // Whoever takes it hears of the failure.
      made.catch(() => undefined)
      this.#partners.push(made)
    }
    if (speakers > 0) {
      const minted = await this.#command(
        'device',
        'add',
        '--count',
        String(speakers),
        '--prefix',
        'SCENARIO-',
      )
      this.#devices = minted
        .trim()
        .split('\n')
        .map((line) => mintedDevice.parse(JSON.parse(line)))
    }
    await mintBoxes(
      boxes.map((kind, index) => ({ kind, number: index + 1 })),
      {
        ...{ prefix: 'SCBOX-', dir: this.folder },
        run: (args, input) => runHubCommand(this.#env, args, { signal: this.#ended.signal, input }),
        keep: (box) => void this.#boxes.push(box),
      },
    )
  }

  /** A device that no scenario has had: a speaker, or a box of a kind. */
  takeDevice(kind: BoxKind | undefined): HubDevice {
    const at = this.#boxes.findIndex(({ dialect }) => dialect === kind)
    const [box] = at === -1 ? [] : this.#boxes.splice(at, 1)
    const device = box ? { serial: box.serial, box } : this.#devices.shift()
    if (!device) throw new Error('there is no device left')
    return device
  }

  /** A partner that no scenario has had. */
  async takePartner(): Promise<PartnerClient> {
    const { clientId, clientSecret } = await (this.#partners.shift() ?? this.#createPartner(0))
    return createPartnerClient(() => this.#http(), clientId, clientSecret)
  }

  async act(action: Parameters<HubControl['act']>[0], number: number): Promise<string | undefined> {
    const hub = this.#hubs[number - 1]
    if (!hub) return `there is no hub ${number}`
    const needed = action === 'start' ? 'dead' : action === 'thaw' ? 'frozen' : 'up'
    if (hub.state !== needed && !(action === 'kill' && hub.state === 'frozen'))
      return `hub ${number} is ${STATES[hub.state]}`
    // A command that makes a partner must not find the database without a hub, or open it while one starts.
    await Promise.allSettled(this.#partners)
    this.#isActing = true
    try {
      await this.#perform(action, hub)
      const isUp = hub.state === 'up'
      await this.#waits.until(`the balancer to notice ${hub.name}`, () => {
        return (this.#balancer?.isReady(number - 1) ?? isUp) === isUp
      })
      return undefined
    } catch (error) {
      if (error instanceof CannotStart) return error.message
      throw error
    } finally {
      this.#isActing = false
    }
  }

  route(hub: number | undefined): void {
    this.#routed = hub === undefined ? undefined : this.#hubs[hub - 1]?.http
  }

  /** Brings back the hubs that a scenario has ended or frozen. Throws `CannotStart`. */
  async restore(): Promise<void> {
    for (const [index, hub] of this.#hubs.entries()) {
      if (hub.state === 'frozen') await this.act('thaw', index + 1)
      else if (hub.state === 'dead') await this.#start(hub)
    }
  }

  async stop(): Promise<void> {
    this.#ended.abort()
    await Promise.allSettled(this.#partners)
    this.#isActing = true
    this.#balancer?.close()
    await Promise.all(this.#hubs.map((hub) => hub.end()))
    await this.#database?.end()
    this.#removeFolder()
    process.off('exit', this.#removeFolder)
  }

  async #perform(action: Parameters<HubControl['act']>[0], hub: ClusterHub): Promise<void> {
    switch (action) {
      case 'kill':
        hub.kill()
        return hub.end()
      case 'stop':
        hub.drain()
        return this.#waits.until(`the end of ${hub.name}`, () => hub.state === 'dead')
      case 'start':
        return this.#start(hub)
      case 'freeze':
        return hub.freeze()
      case 'thaw':
        return hub.thaw()
    }
  }

  async #start(hub: ClusterHub): Promise<void> {
    this.#said = []
    await hub.start()
    if (hub.state !== 'up') throw new CannotStart(this.#said.join(' ') || `${hub.name} did not start.`)
  }

  async #createPartner(number: number): Promise<Credentials> {
    const printed = await this.#command('partner', 'create', '--name', `Scenario partner ${number}`)
    return credentials.parse(JSON.parse(printed))
  }

  #command(...args: string[]): Promise<string> {
    return runHubCommand(this.#env, args, { signal: this.#ended.signal })
  }

  #http(): string {
    return this.#routed ?? this.#balancer?.nextHttp() ?? this.#hubs[0]?.http ?? ''
  }

  #log(line: string): void {
    this.#said.push(line)
    if (!this.#isActing) this.#options.log(line)
  }

  readonly #removeFolder = () => rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
}

const STATES: Record<ClusterHub['state'], string> = {
  starting: 'just starting',
  up: 'up',
  frozen: 'frozen',
  draining: 'just stopping',
  dead: 'not running',
}
