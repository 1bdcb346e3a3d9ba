import { WAKE_KINDS, type WakeKind } from '../../wakeups.ts'

/** PostgreSQL takes a payload of fewer than 8,000 bytes. */
const MOST_BYTES = 7_999
/** Devices that need more payloads than this become all devices. */
const MOST_PAYLOADS = 10

/** The devices of one kind of wake-up. */
export interface Woken {
  ids: Set<string>
  /** Of the ids, with a space before each. */
  bytes: number
  isAll: boolean
}

export const nobody = (): Woken => ({ ids: new Set(), bytes: 0, isAll: false })

export function addWoken(woken: Woken, deviceIds: Iterable<string>) {
  for (const id of deviceIds) {
    if (woken.isAll || woken.ids.has(id)) continue
    woken.ids.add(id)
    woken.bytes += 1 + Buffer.byteLength(id)
    if (woken.bytes > MOST_PAYLOADS * MOST_BYTES) wakeAll(woken)
  }
}

export function wakeAll(woken: Woken) {
  woken.isAll = true
  woken.ids.clear()
}

/** The payloads of one kind: hub, kind and the ids of the devices with spaces between. No ids stand for all devices. */
export function toPayloads(hub: string, kind: WakeKind, { ids, isAll }: Woken): string[] {
  const head = `${hub} ${kind}`
  if (isAll) return [head]
  const payloads: string[] = []
  let payload = head
  for (const id of ids) {
    if (Buffer.byteLength(payload) + 1 + Buffer.byteLength(id) > MOST_BYTES) {
      payloads.push(payload)
      payload = head
    }
    payload += ` ${id}`
  }
  return payload === head ? payloads : [...payloads, payload]
}

export interface Heard {
  hub: string
  kind: WakeKind
  /** Undefined for all devices. */
  deviceIds: string[] | undefined
}

/** Undefined when it is not understood: a hub of another release may have sent it. */
export function parsePayload(payload: string): Heard | undefined {
  const [hub, name, ...deviceIds] = payload.split(' ')
  const kind = WAKE_KINDS.find((known) => known === name)
  if (!hub || !kind || deviceIds.includes('')) return undefined
  return { hub, kind, deviceIds: deviceIds.length > 0 ? deviceIds : undefined }
}
