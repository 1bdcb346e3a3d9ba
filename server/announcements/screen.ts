/** A store that a device is linked to. */
export interface LinkedStore {
  id: string
  linkedAt: number
}

/** A bill of one of those stores. */
export interface ShownBill {
  id: string
  paid: boolean
  shownUntil: number
  updatedAt: number
}

/** What a device's screens show. */
export interface ScreenChoice<S, B> {
  /** Undefined when the device is not registered. */
  store: S | undefined
  bill: B | undefined
  /** The device shows that it is locked, and no QR. */
  isLocked: boolean
  /** See ScreenState. */
  hasEndedBill: boolean
}

/**
 * Chooses the store that was linked last, and the unpaid bill that was changed last among those whose time is not
 * over. A locked device shows no bill. Of two with the same time, the one with the higher id is the newer.
 */
export function chooseScreen<S extends LinkedStore, B extends ShownBill>(
  isActive: boolean,
  stores: readonly S[],
  bills: readonly B[],
  now: number,
): ScreenChoice<S, B> {
  const store = newest(stores, ({ linkedAt }) => linkedAt)
  if (!store) return { store, bill: undefined, isLocked: false, hasEndedBill: false }
  const current = bills.filter(({ shownUntil }) => shownUntil > now)
  const unpaid = isActive ? current.filter(({ paid }) => !paid) : []
  const bill = newest(unpaid, ({ updatedAt }) => updatedAt)
  return { store, bill, isLocked: !isActive, hasEndedBill: !bill && current.length > 0 }
}

function newest<T extends { id: string }>(all: readonly T[], time: (one: T) => number): T | undefined {
  return all.toSorted((a, b) => time(b) - time(a) || (a.id < b.id ? 1 : -1))[0]
}
