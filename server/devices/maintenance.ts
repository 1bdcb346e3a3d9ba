import type { Actor } from '../security/actor.ts'

/** The capabilities of a device that the hub needs to know: it may get these commands. */
export const MAINTENANCE_CAPS = ['rekey', 'update'] as const
export type MaintenanceCap = (typeof MAINTENANCE_CAPS)[number]

/** Firmware that is offered to a device. The hub only keeps and shows it. */
export interface FirmwareOffer {
  /** The version, as the device's birth will say it. */
  fw: string
  url: string
  /** Bytes. */
  size: number
  /** Of the image, in base64url. */
  sha256: string
  /** The maker's signature, in base64url. */
  sig?: string | undefined
}

/** What a device says of an offer. */
export interface UpdateProgress {
  fw: string
  state: 'downloading' | 'installing' | 'declined' | 'failed'
  percent?: number | undefined
}

/** What is to be sent to one device. */
export interface MaintenanceDue {
  deviceId: string
  /** Sent once after a welcome for each value. */
  rekey?: { nextKey: Buffer; since: number } | undefined
  update?: { offer: FirmwareOffer; since: number } | undefined
}

/** New keys and firmware: the operator gives them, and devices take them in their own time. */
export interface MaintenanceRecords {
  /**
   * Gives a device its next key, in place of one that it has not confirmed. Both work until a birth under the next one
   * (sb/1 2.9). Returns whether the device's last birth says that it takes new keys. Undefined when there is no such
   * device.
   */
  rotate(
    by: Actor,
    serial: string,
    next: { key: Buffer; loginHash: Buffer },
    at: number,
  ): Promise<{ isAble: boolean } | undefined>
  /** Offers firmware to a device, or withdraws the offer. Answers like `rotate`. */
  offer(
    by: Actor,
    serial: string,
    offer: FirmwareOffer | undefined,
    at: number,
  ): Promise<{ isAble: boolean } | undefined>
  /** What these devices are to be sent: a device gets only what it can take, and no firmware that it runs. */
  due(deviceIds: readonly string[]): Promise<MaintenanceDue[]>
}
