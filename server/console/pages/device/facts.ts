import type { AnnouncementTrail } from '../../../announcements/announcement.ts'
import type { DeviceDetail, DeviceReport } from '../../../devices/device.ts'
import { findSilence, type SilenceFinding } from '../../../operate/silence.ts'
import { HubError } from '../../../platform/errors.ts'
import { readPages } from '../../../platform/page.ts'
import type { DeviceSettings } from '../../../settings/settings.ts'
import type { AuditRow } from '../../../storage/audit.ts'
import type { OwnVisit } from '../../parts/visit.ts'

/** How far back the page looks for announcements. */
const RECENT_MS = 7 * 24 * 60 * 60_000
/** Payments of each shop, and shops, that are looked at. */
const RECENT = 20
const SHOPS = 5
const AUDIT_ROWS = 50

/** An announcement with its payment, without personal data. */
export interface Announced {
  trail: AnnouncementTrail
  paymentId: string
  amount: string
  terminalID: string
}

/** All that the page of a device shows. */
export interface DeviceFacts {
  device: DeviceDetail
  partnerName: string
  settings: DeviceSettings | undefined
  why: SilenceFinding[]
  announced: Announced[]
  audit: AuditRow[]
  identifiedAt: number | undefined
}

type Reads = Pick<OwnVisit, 'storage' | 'verbs' | 'slices' | 'hubSince' | 'who' | 'now' | 'by'>

export async function findDevice({ storage, verbs, hubSince }: Reads, serial: string): Promise<DeviceDetail> {
  const device = await storage.lists.devices.find(serial, hubSince)
  if (!device) throw new HubError('DEVICE_NOT_FOUND')
  return { ...device, abilities: await verbs.abilitiesOf(device) }
}

export async function readFacts(visit: Reads, serial: string): Promise<DeviceFacts> {
  const { storage, now, by } = visit
  const device = await findDevice(visit, serial)
  const { clientId } = device
  const recentFrom = now - RECENT_MS
  const [announced, settings, partner, audit, identifiedAt] = await Promise.all([
    readAnnounced(visit, device, recentFrom),
    storage.settings.find(by, serial),
    clientId === undefined ? undefined : storage.partners.find(clientId),
    storage.audit.list({ subject: serial, limit: AUDIT_ROWS }),
    storage.devices.identifiedAt(serial),
  ])
  const why = findSilence({
    ...{ device, settings, recentFrom, now },
    recent: announced.map(({ trail }) => trail),
    isPartnerDisabled: partner?.disabledAt !== undefined,
    isHubRunning: true,
  })
  return { device, partnerName: partner?.name ?? '', settings, why, announced, audit, identifiedAt }
}

/**
 * The newest announcements of a device, by the payments of its shops. Why not by the announcements: they have no index by
 * device, which each payment would pay for.
 */
async function readAnnounced(
  { storage, slices, who }: Reads,
  { serial, stores }: DeviceReport,
  from: number,
): Promise<Announced[]> {
  const all = await Promise.all(
    stores.slice(0, SHOPS).map(async ({ id: storeId }) => {
      const { rows } = await readPages(
        (page) => slices.run(who.id, () => storage.lists.payments.page({ storeId, from }, page)),
        { limit: RECENT },
      )
      return rows.flatMap(({ payment, announcements }) =>
        announcements
          .filter((trail) => trail.serial === serial)
          .map((trail) => ({
            ...{ trail, paymentId: payment.id, amount: payment.amount },
            terminalID: payment.terminalID,
          })),
      )
    }),
  )
  const queuedAt = ({ trail }: Announced) => trail.times.queued ?? 0
  return all
    .flat()
    .sort((one, other) => queuedAt(other) - queuedAt(one))
    .slice(0, RECENT)
}
