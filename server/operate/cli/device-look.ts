import { isoTimes } from '../../announcements/announcement.ts'
import { type Abilities, type DeviceReport, OWN_DIALECT, startedAt } from '../../devices/device.ts'
import type { MaintenanceCap } from '../../devices/maintenance.ts'
import type { DeviceFilter } from '../../devices/ports.ts'
import { isoInstant } from '../../platform/clock.ts'
import { type PageRequest, readPages } from '../../platform/page.ts'
import { stateOf } from '../device-state.ts'
import { when } from '../for-people.ts'
import { ago } from '../instant.ts'
import { whySilent } from '../silence-english.ts'
import { describe, unknown } from './device.ts'
import { type ListOptions, listing } from './listing.ts'
import { cut, describeTrail, done, fields, type Outcome, printable, refused, wrapped } from './output.ts'
import type { Workspace } from './workspace.ts'

type View = Pick<Workspace, 'by' | 'storage' | 'clock' | 'running'>

interface DeviceListOptions extends ListOptions, Pick<DeviceFilter, 'state' | 'serialPrefix' | 'dialect'> {
  /** Milliseconds. */
  silentSince?: number
  lowBattery?: number
}

export async function deviceList(workspace: View, options: DeviceListOptions): Promise<Outcome> {
  const { client: clientId, state, serialPrefix, dialect, silentSince, lowBattery: batteryAtMost } = options
  const { storage, clock } = workspace
  const { isHubRunning, hubSince } = await hubOf(workspace)
  const filter = { clientId, state, serialPrefix, dialect, silentSince, batteryAtMost }
  const kinds = createKinds(storage)
  const now = clock.now()
  const read = async (page: PageRequest) => {
    const found = await storage.lists.devices.page(filter, hubSince, page)
    await kinds.learn(found.rows)
    return found
  }
  return listing(read, options, {
    head: ['SERIAL', 'STATE', 'SEEN', 'PARTNER', 'TILL', 'REPORTED', 'MODEL'],
    cells: (device) => [
      device.serial,
      stateOf(device),
      device.connected ? 'now' : device.lastSeenAt === undefined ? '-' : ago(device.lastSeenAt, now),
      device.clientId === undefined ? '-' : cut(device.clientId, 12),
      tillsOf(device),
      readingsOf(device, now),
      cut(modelOf(device), 18),
    ],
    none: 'No such device.',
    notes: isHubRunning ? [] : ['No hub is running: nobody is connected.'],
    json: (device) => ({ ...toJson(device, isHubRunning), ...kinds.toJson(device) }),
  })
}

/** How far back `device show` looks for announcements, and how many it shows. */
const RECENT_MS = 7 * 24 * 60 * 60_000
const RECENT = 20

/** Shows all about one device, and why it is silent. `client` is the partner who asks. */
export async function deviceShow(
  workspace: View,
  serial: string,
  { client }: { client?: string },
): Promise<Outcome> {
  const { by, storage, clock } = workspace
  const { isHubRunning, hubSince, hasBoxPort } = await hubOf(workspace)
  const device = await storage.lists.devices.find(serial, hubSince)
  if (!device) return refused({ serial, found: false }, unknown(serial))
  const now = clock.now()
  const recentFrom = now - RECENT_MS
  const { clientId } = device
  const [recent, settings, partner] = await Promise.all([
    readPages((page) => storage.lists.announcements.ofDevice(device, recentFrom, page), { limit: RECENT }),
    storage.settings.find(by, serial),
    clientId === undefined ? undefined : storage.partners.find(clientId),
  ])
  const kinds = createKinds(storage)
  await kinds.learn([device])
  const why = whySilent({
    ...{ device, askedFor: client, isHubRunning, hasBoxPort, settings, recent: recent.rows, recentFrom, now },
    isPartnerDisabled: partner?.disabledAt !== undefined,
  })
  const announcements = recent.rows.map(({ n, stage, times, reason }) => ({
    ...{ n: n ?? null, stage, times: isoTimes(times), reason: reason ?? null },
  }))
  const { desired, reported } = settings ?? {}
  const json = {
    ...toJson(device, isHubRunning),
    ...kinds.toJson(device),
    partnerName: partner?.name ?? '',
    settings: { desired: desired ?? null, reported: reported ?? null },
    ...{ announcements, why },
  }
  const about = fields({
    state: `${stateOf(device)}, ${seen(device, now)}`,
    partner: clientId === undefined ? '-' : `${clientId} ${partner?.name ?? ''}`,
    tills: device.stores.map(({ terminalID, storeName }) => `${terminalID} ${storeName}`).join(', ') || '-',
    model: modelOf(device),
    reported: readingsOf(device, now),
    ...runtimeOf(device, now),
    ...kinds.fields(device),
    settings: reported ? describe(reported) : describe(desired),
    ...maintenanceOf(device, now),
    created: when(device.createdAt),
    'last birth': when(device.lastBirthAt),
  })
  const trail = recent.rows.slice(0, 5).map((one) => `  ${describeTrail(one)}`)
  return done(
    json,
    `Device ${printable(serial)}`,
    about,
    ...(trail.length > 0 ? ['Last announcements', ...trail] : []),
    'Why it is silent',
    ...why.map(wrapped),
  )
}

async function hubOf({ running: find }: View) {
  const running = await find()
  // Hubs on PostgreSQL do not say which ports they have.
  const hasBoxPort = running?.http === undefined ? undefined : Boolean(running.box ?? running.boxTls)
  return { isHubRunning: running !== undefined, hubSince: running?.startedAt, hasBoxPort }
}

/** A speaker of sb/1 has its own key, and says when it has played. */
const OWN_KIND = { proof: 'played', identity: 'device' } as const

/** What profiles say of devices. They are loaded with the first box. */
function createKinds({ profiles }: Pick<Workspace['storage'], 'profiles'>) {
  let known = new Map<string, Pick<Abilities, 'proof' | 'identity'>>()
  const of = ({ dialect, profile = '' }: DeviceReport) =>
    dialect === OWN_DIALECT ? OWN_KIND : known.get(profile)

  return {
    async learn(devices: readonly DeviceReport[]) {
      if (devices.every((device) => of(device) !== undefined)) return
      const { kindsByName } = await import('./box-profiles.ts')
      known = await kindsByName(profiles)
    },
    toJson(device: DeviceReport) {
      const { dialect, profile = null, wireId = null } = device
      // This hub may not understand a profile that a later release has stored.
      const { proof = null, identity = null } = of(device) ?? {}
      return { dialect, profile, wireId, proof, identity }
    },
    fields(device: DeviceReport): Record<string, string> {
      const { dialect, profile = '', wireId = '' } = device
      if (dialect === OWN_DIALECT) return {}
      const { proof = 'not known', identity = 'not known' } = of(device) ?? {}
      return {
        box: `dialect ${dialect}, profile ${profile}, wire id ${wireId}`,
        login: identity === 'weak' ? 'weak: it does not prove which box it is' : identity,
        'proof of sound': proof,
      }
    },
  }
}

const iso = (at: number | undefined) => (at === undefined ? null : isoInstant(at))

function toJson(device: DeviceReport, isHubRunning: boolean) {
  const { model, firmware, health, nextKeySince, offer, updateProgress, runtime } = device
  const { battery = null, charging = null, signal = null, volume = null, queue = null } = health ?? {}
  return {
    serial: device.serial,
    partnerClientId: device.clientId ?? '',
    state: device.revokedAt !== undefined ? 'revoked' : device.active ? 'active' : 'locked',
    ...{ model, firmware },
    lastBirthAt: iso(device.lastBirthAt),
    // Nobody knows without a hub.
    connected: isHubRunning ? device.connected : null,
    lastSeenAt: iso(device.lastSeenAt),
    leftAt: iso(device.leftAt),
    createdAt: iso(device.createdAt),
    // Without fields for what does not wait.
    ...(nextKeySince !== undefined && { newKey: { pendingSince: iso(nextKeySince) } }),
    ...(offer && { offer: { ...offer, since: iso(offer.since) } }),
    ...(updateProgress && { update: { ...updateProgress, at: iso(updateProgress.at) } }),
    ...(runtime && { runtime: { ...runtime, at: iso(runtime.at), startedAt: iso(startedAt(runtime)) } }),
    stores: device.stores.map(({ id, terminalID, storeName }) => ({ storeId: id, terminalID, storeName })),
    health: health ? { battery, charging, signal, volume, queue, reportedAt: iso(health.reportedAt) } : null,
  }
}

/** What waits for the device, if anything does, for a person. */
function maintenanceOf(
  { caps, firmware, nextKeySince, offer, updateProgress: said }: DeviceReport,
  now: number,
): Record<string, string> {
  const unable = (cap: MaintenanceCap) =>
    caps.includes(cap) ? '' : `, but it takes none (no ${cap} in its caps)`
  const key = nextKeySince === undefined ? '' : `pending since ${when(nextKeySince)}${unable('rekey')}`
  const isInstalled = offer?.fw === firmware
  const offered =
    offer && `${offer.fw} since ${when(offer.since)}${isInstalled ? ', installed' : unable('update')}`
  const progress = said && `${said.fw} ${said.state}${said.percent === undefined ? '' : ` ${said.percent}%`}`
  return {
    ...(key && { 'new key': key }),
    ...(offered && { offer: offered }),
    ...(said && { update: `${progress}, ${ago(said.at, now)} ago` }),
  }
}

function seen({ connected, lastSeenAt }: DeviceReport, now: number): string {
  if (connected) return 'connected'
  return lastSeenAt === undefined
    ? 'never seen'
    : `last seen ${when(lastSeenAt)}, ${ago(lastSeenAt, now)} ago`
}

/** Why the device started, when, how often it has crashed, and why its last connection ended. */
function runtimeOf({ runtime }: DeviceReport, now: number): Record<string, string> {
  if (!runtime) return {}
  const { reset, crashes, modem } = runtime
  const parts = [
    `${reset}, ${ago(startedAt(runtime), now)} ago`,
    `${crashes} ${crashes === 1 ? 'crash' : 'crashes'}`,
  ]
  return {
    'started by': parts.join(', '),
    ...(modem !== undefined && { 'connection ended by': modem }),
  }
}

function modelOf({ model, firmware, profile = '' }: DeviceReport): string {
  return [model || profile, firmware].filter(Boolean).join(' ') || '-'
}

function tillsOf({ stores: [first, ...others] }: DeviceReport): string {
  if (!first) return '-'
  return cut(first.terminalID, 10) + (others.length > 0 ? ` +${others.length}` : '')
}

/** Battery, signal and volume as last reported, and how long ago. */
function readingsOf({ health }: DeviceReport, now: number): string {
  if (!health) return '-'
  const { battery, charging, signal, volume, reportedAt } = health
  const said = [
    battery !== undefined && `${battery}%`,
    charging && 'charging',
    signal !== undefined && `${signal}dBm`,
    volume === 0 && 'vol 0',
  ]
  return [...said.filter(Boolean), ago(reportedAt, now)].join(' ')
}
