import { join } from 'node:path'
import type { BoxKind } from '../../boxes/kinds.ts'
import type { Host } from '../../platform/host.ts'
import type { Credentials } from '../hub/hub-command.ts'
import { createPartnerClient } from '../hub/partner-client.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import type { Scenario } from './file/load.ts'
import { isBoxHardware } from './file/schema.ts'
import { OwnHubs } from './hub/own-hubs.ts'
import type { Stage } from './perform.ts'

export interface BoxOnHub {
  url: string
  password?: string
  secret?: string
}

export interface StageOptions {
  /** The hub of --url, or temporary ones for the scenarios. */
  hub: 'given' | 'own'
  /** The partner on the given hub; undefined without credentials. */
  partner: ({ http: string } & Credentials) | undefined
  /** The box on the given hub: the address of its listener and its login. */
  box?: BoxOnHub
}

/** Where scenarios are played: on the given hub, or on temporary ones, which are kept until the end. */
export class Stages {
  readonly #given: StageOptions
  readonly #options: SpeakerOptions
  readonly #scenarios: readonly Scenario[]
  readonly #host: Host
  /** By their number. */
  readonly #hubs = new Map<number, OwnHubs>()

  constructor(given: StageOptions, options: SpeakerOptions, scenarios: readonly Scenario[], host: Host) {
    this.#given = given
    this.#options = options
    this.#scenarios = scenarios
    this.#host = host
  }

  async stageFor({ hubs: count, hardware, partners }: Scenario): Promise<Stage> {
    const { serial, key, url, stateDir } = this.#options
    const { hub, partner, box } = this.#given
    const kinds = kindsIn({ hardware })
    if (hub === 'given') {
      const client = partner && createPartnerClient(partner.http, partner.clientId, partner.clientSecret)
      const { url: boxUrl = '', ...login } = box ?? {}
      const [dialect] = kinds
      const device = dialect ? { serial, box: { dialect, serial, ...login } } : { serial, key }
      return { url, boxUrl, stateDir, devices: [device], partners: client ? [client] : [], hubs: undefined }
    }
    const hubs = this.#hubs.get(count) ?? (await this.#open(count))
    // The scenario before may have ended some.
    await hubs.restore()
    return {
      url: hubs.url,
      boxUrl: hubs.boxUrl,
      stateDir: join(hubs.folder, 'simulator'),
      devices: kinds.map((kind) => hubs.takeDevice(kind)),
      partners: await Promise.all(partners.map(() => hubs.takePartner())),
      hubs,
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#hubs.values()].map((hubs) => hubs.stop()))
  }

  async #open(count: number): Promise<OwnHubs> {
    const { env, stderr } = this.#host
    const users = this.#scenarios.filter(({ hubs }) => hubs === count)
    const kinds = users.flatMap(kindsIn)
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
    const hubs = await OwnHubs.open({
      environment: env,
      count,
      speakers: kinds.filter((kind) => kind === undefined).length,
      boxes: kinds.flatMap((kind) => kind ?? []),
      partners: sum(users.map(({ partners }) => partners.length)),
      log: (line) => void stderr.write(`${line}\n`),
    })
    this.#hubs.set(count, hubs)
    return hubs
  }
}

/** Which box each speaker is; undefined for one of sb/1. */
function kindsIn({ hardware }: Pick<Scenario, 'hardware'>): (BoxKind | undefined)[] {
  return [...hardware.values()].map((one) => (isBoxHardware(one) ? one.dialect : undefined))
}
