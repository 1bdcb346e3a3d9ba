import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../../support/folder.ts'
import type { OwnHub, OwnHubOptions } from '../../../support/processes/own-hub.ts'
import type { Stage } from '../../scenario.ts'
import type { HubAddresses } from '../haproxy.ts'
import { type Namespaces, openNamespaces } from './namespaces.ts'
import type { BreakablePart, Part } from './part.ts'
import { openWire, type Wire } from './wire.ts'

/** A hub in its network. */
export interface Place {
  hub: OwnHub
  /** Where the balancer and the processor find it. */
  addresses: HubAddresses
  /** Undefined in a network that does not break. */
  parts?: Readonly<Record<Part, BreakablePart>>
  /** Only with wires. Loses the connections of its speakers without a word. New ones are well. */
  forgetSpeakers?(): void
}

/** Starts a hub on these servers of PostgreSQL: hosts with their ports, the first one first. */
export type StartHub = (
  servers: readonly string[],
  options?: Pick<OwnHubOptions, 'env' | 'enter'>,
) => Promise<OwnHub>

/** The network of a cluster. */
export interface Network {
  /** What breaks it, for the report. Undefined: nothing. */
  how?: string
  /** Settings of PostgreSQL, which make it listen where hubs reach it. */
  postgres: Readonly<Record<string, string>>
  /** Starts the next hub on the servers of PostgreSQL. */
  place(servers: readonly string[], start: StartHub): Promise<Place>
}

/** `wires` are processes that forward. `namespaces` are the kernel's, and wires where this machine refuses them. */
export type NetworkKind = 'loopback' | 'wires' | 'namespaces'

/** Opens the network of so many hubs. */
export function openNetwork(kind: NetworkKind, hubs: number, stage: Pick<Stage, 'onEnd'>): Network {
  if (kind === 'loopback') return loopback()
  if (kind === 'wires') return wires(stage)
  const namespaces = openNamespaces(hubs, stage)
  if (!('missing' in namespaces)) return inNamespaces(namespaces, stage)
  return { ...wires(stage), how: `wires (${namespaces.missing})` }
}

function loopback(): Network {
  return {
    postgres: {},
    async place(servers, start) {
      const hub = await start(servers)
      return { hub, addresses: { http: hub.http, mqtt: hub.mqtt, admin: hub.admin() } }
    },
  }
}

function wires({ onEnd }: Pick<Stage, 'onEnd'>): Network {
  async function wireTo(url: string): Promise<Wire> {
    const { hostname, port } = new URL(url)
    const wire = await openWire({ host: hostname, port: Number(port) })
    onEnd(() => wire.close())
    return wire
  }
  const hostOf = ({ host, port }: Wire) => `${host}:${port}`

  return {
    how: 'wires',
    postgres: {},
    async place([server = ''], start) {
      const database = await wireTo(`tcp://${server}`)
      const hub = await start([hostOf(database)])
      const [http, mqtt, admin] = [await wireTo(hub.http), await wireTo(hub.mqtt), await wireTo(hub.admin())]
      return {
        hub,
        addresses: {
          http: `http://${hostOf(http)}`,
          mqtt: `mqtt://${hostOf(mqtt)}`,
          admin: `http://${hostOf(admin)}`,
        },
        parts: { partners: http, speakers: together(mqtt, admin), database },
        forgetSpeakers: mqtt.forget,
      }
    },
  }
}

function together(...parts: BreakablePart[]): BreakablePart {
  return {
    silence() {
      for (const part of parts) part.silence()
    },
    mend() {
      for (const part of parts) part.mend()
    },
  }
}

function inNamespaces({ own, hubs }: Namespaces, { onEnd }: Pick<Stage, 'onEnd'>): Network {
  const free = [...hubs]
  const folder = temporaryFolder(onEnd)
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  const accessFile = join(folder, 'pg_hba.conf')
  writeFileSync(accessFile, 'host all all 127.0.0.1/32 trust\nhost all all samenet trust\n')
  return {
    how: 'namespaces',
    postgres: { listen_addresses: `127.0.0.1,${own.database}`, hba_file: accessFile },
    async place([server = ''], start) {
      const namespace = free.shift()
      if (!namespace) throw new Error('there are more hubs than namespaces')
      const { addresses, enter, parts } = namespace
      const env = {
        HUB_HTTP_HOST: addresses.partners,
        HUB_MQTT_HOST: addresses.speakers,
        // For the balancer, and for the scenario while speakers are cut off. Nothing else is in its namespace.
        HUB_ADMIN_HOST: '0.0.0.0',
        HUB_TRUST_PROXY_FROM: [own.partners, own.speakers].join(),
      }
      const hub = await start([at(own.database, `tcp://${server}`)], { env, enter })
      const admin = hub.admin()
      return {
        hub: { ...hub, admin: () => `http://${at(addresses.watch, admin)}` },
        addresses: { http: hub.http, mqtt: hub.mqtt, admin: `http://${at(addresses.speakers, admin)}` },
        parts,
      }
    },
  }
}

/** The host of a URL at another address. */
function at(address: string, url: string): string {
  return `${address}:${new URL(url).port}`
}
