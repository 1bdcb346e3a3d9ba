import { join } from 'node:path'
import type { Host } from '../../platform/host.ts'
import type { Credentials } from '../hub/hub-command.ts'
import { createPartnerClient } from '../hub/partner-client.ts'
import type { SpeakerOptions } from '../run-speaker.ts'
import type { Scenario } from './file/load.ts'
import { OwnHubs } from './hub/own-hubs.ts'
import type { Stage } from './perform.ts'

export interface StageOptions {
  /** The hub of --url, or temporary ones for the scenarios. */
  hub: 'given' | 'own'
  /** The partner on the given hub; undefined without credentials. */
  partner: ({ http: string } & Credentials) | undefined
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

  async stageFor({ hubs: count, speakers, partners }: Scenario): Promise<Stage> {
    const { serial, key, url, stateDir } = this.#options
    const { hub, partner } = this.#given
    if (hub === 'given') {
      const client = partner && createPartnerClient(partner.http, partner.clientId, partner.clientSecret)
      return { url, stateDir, devices: [{ serial, key }], partners: client ? [client] : [], hubs: undefined }
    }
    const hubs = this.#hubs.get(count) ?? (await this.#open(count))
    // The scenario before may have ended some.
    await hubs.restore()
    return {
      url: hubs.url,
      stateDir: join(hubs.folder, 'simulator'),
      devices: hubs.takeDevices(speakers.length),
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
    const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
    const hubs = await OwnHubs.open({
      environment: env,
      count,
      speakers: sum(users.map(({ speakers }) => speakers.length)),
      partners: sum(users.map(({ partners }) => partners.length)),
      log: (line) => void stderr.write(`${line}\n`),
    })
    this.#hubs.set(count, hubs)
    return hubs
  }
}
