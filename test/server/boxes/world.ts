import { onTestFinished } from 'vitest'
import type { Cluster } from '../../../server/cluster/cluster.ts'
import { createLog } from '../../../server/platform/log.ts'
import { byPartner } from '../../../server/security/actor.ts'
import { createVault } from '../../../server/security/vault.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import type { BoxKind } from '../../../simulator/boxes/kinds.ts'
import { STATIC_QR } from '../../protocol/vietqr/samples.ts'
import { configOf } from '../../simulator/boxes/bench.ts'
import { signedCallback } from '../../support/callback.ts'
import { createVirtualClock, settle, type VirtualClock } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { createWire } from '../delivery/two-hubs.ts'
import { LABEL } from '../storage/boxes.ts'
import { AT, createShop } from '../storage/shop.ts'
import { BoxOnLine } from './box.ts'
import type { Reachable } from './line.ts'
import { mintBox } from './mint.ts'

/** So much time passes at once where acts take real time, so that timers see them end: first while things happen, then later. */
const STEPS = { firstMs: 1_000, laterMs: 10_000, first: 40 } as const

export type Hub = ReturnType<typeof startHub>

/**
 * A storage that answers nothing any more once its hub was killed. `underWay` counts the acts that have not ended: those of
 * PostgreSQL take real time.
 */
function mortal(storage: Storage, state: { isDead: boolean; underWay: number }): Storage {
  const never = new Promise<never>(() => undefined)
  async function run(act: () => unknown) {
    if (state.isDead) return never
    state.underWay += 1
    try {
      const result = await act()
      return state.isDead ? never : result
    } finally {
      state.underWay -= 1
    }
  }
  const guarded = (port: object) =>
    new Proxy(port, {
      get(target, name) {
        const act: unknown = Reflect.get(target, name)
        if (typeof act !== 'function') return act
        return (...args: unknown[]) => run(() => Reflect.apply(act, target, args))
      },
    })
  return new Proxy(storage, {
    get(target, name) {
      const part: unknown = Reflect.get(target, name)
      return typeof part === 'object' && part !== null ? guarded(part) : part
    },
  })
}

/** One hub on a storage and a clock: its own core and gate, without sockets. */
export function startHub({
  storage,
  clock,
  cluster,
}: {
  storage: Storage
  clock: VirtualClock
  cluster?: Cluster
}) {
  const vault = createVault(TEST_MASTER_KEY)
  const state = { isDead: false, underWay: 0 }
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const isDead = () => state.isDead
  const core = createTestCore({
    ...{ storage: mortal(storage, state), vault, clock, log },
    ...(cluster && { cluster }),
  })
  const stop = core.delivery.start()
  // One that was killed would wait for its storage.
  onTestFinished(() => (state.isDead ? undefined : stop()))
  return {
    ...core,
    isDead,
    isQuiet: () => state.isDead || state.underWay === 0,
    said: (message: string) =>
      lines.map((line) => Object(JSON.parse(line))).filter(({ msg }) => msg === message),
    /** As `kill -9`: nothing that is under way goes on. */
    kill() {
      state.isDead = true
      stop()
    },
  }
}

/** Opens the storage of one more hub on the same data. */
export type OpenStorage = () => Promise<Storage>

interface WorldOptions {
  /** SQLite in a file when left out. */
  open?: OpenStorage
  /** The hubs that run. */
  hubs?: 1 | 2
}

/** Hubs on one storage, a partner with shops, and boxes of other makers, on a clock that the test winds. */
export async function openBoxWorld({ open, hubs: count = 1 }: WorldOptions = {}) {
  const openStorage = open ?? openFile()
  const clock = createVirtualClock(AT)
  onTestFinished(settle)
  const hubs: Hub[] = []
  const wire = createWire()
  const storage = await openStorage()
  async function anotherHub(given?: Storage) {
    const { cluster, joins } = wire.hub()
    const hub = startHub({ storage: given ?? (await openStorage()), clock, ...(count === 2 && { cluster }) })
    joins(hub.delivery)
    hubs.push(hub)
    return hub
  }
  const here = await anotherHub(storage)
  const there = count === 2 ? await anotherHub() : here
  const shop = createShop(storage)
  const clientId = await shop.partner()
  let payments = 0

  const alive = (): Hub => {
    const hub = hubs.find((one) => !one.isDead())
    if (!hub) throw new Error('every hub was killed')
    return hub
  }

  /** Adds a box, and registers it for a shop by its label. Returns the box, which is still without power. */
  async function addBox(
    kind: BoxKind,
    {
      serial = `BOX-${kind}`,
      terminalID = `T-${serial}`,
      playReport,
      registered = true,
      profile: profileName = kind,
      change,
      at: hub = alive(),
    }: {
      serial?: string
      terminalID?: string
      playReport?: string
      registered?: boolean
      profile?: string
      /** Makes a profile of its own of the one that ships. */
      change?: object
      at?: Reachable
    } = {},
  ) {
    const made = await mintBox(storage, kind, { serial, profile: profileName, change, at: clock.now() })
    const config = configOf({ ...made.login, serial, playReport })
    const box = new BoxOnLine(kind, config, { clock, hub })
    if (registered) await register(serial, terminalID)
    return Object.assign(box, { serial, deviceId: made.deviceId, terminalID })
  }

  async function register(serial: string, terminalID: string) {
    const store = { terminalID, phoneNumber: '0912345678', staticQRCode: STATIC_QR }
    const base = shop.registration(clientId, serial, { store })
    const result = await storage.devices.register(
      byPartner(clientId),
      { ...base, codeHashes: [], label: LABEL },
      clock.now(),
    )
    if (result.kind !== 'registered') throw new Error(`not registered: ${result.kind}`)
    return result.store.id
  }

  /** Reports a payment at a hub, as a partner's callback does. */
  async function pay(
    terminalID: string,
    amount = '50000',
    { at = alive(), ftCode, billNumber = '' }: { at?: Hub; ftCode?: string; billNumber?: string } = {},
  ) {
    payments += 1
    const ft = ftCode ?? `FT${payments}`
    const fields = { terminalID, transactionAmount: amount, ftCode: ft, billNumber }
    const callback = { ...signedCallback('secret', fields), paidAt: Date.parse('2026-11-20T03:00:00.000Z') }
    await at.verbs.recordCallback(clientId, callback, () => undefined)
    await quiet()
    return ft
  }

  /** Resolves when no hub has anything under way. */
  async function quiet() {
    for (;;) {
      await settle()
      if (hubs.every((hub) => hub.isQuiet())) return
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }

  /** Lets time pass, with all that the storage takes. */
  async function pass(ms: number) {
    await quiet()
    for (let [rest, steps] = [ms, 0]; rest > 0; steps += 1) {
      const stepMs = steps < STEPS.first ? STEPS.firstMs : STEPS.laterMs
      const now = open ? Math.min(rest, stepMs) : rest
      await clock.wind(now)
      await quiet()
      rest -= now
    }
  }

  /** The stored trail of a payment's only announcement. */
  async function trail(ftCode: string) {
    const view = await storage.payments.findByFtCode(clientId, ftCode)
    const [announcement] = view?.announcements ?? []
    if (!announcement) throw new Error('the payment was not announced')
    return announcement
  }

  /** The types of events that are no `device` ones, in order. */
  async function events() {
    while ((await storage.events.number(1_000)) > 0);
    const { events: all } = await storage.events.page(clientId, { after: 0, limit: 1_000 })
    return all.filter(({ type }) => !type.startsWith('device.'))
  }

  return {
    clock,
    here,
    there,
    anotherHub,
    alive,
    quiet,
    pass,
    storage,
    shop,
    clientId,
    addBox,
    register,
    pay,
    trail,
    events,
  }
}

export type World = Awaited<ReturnType<typeof openBoxWorld>>
export type Box = Awaited<ReturnType<World['addBox']>>

/** One file for all hubs. */
function openFile(): OpenStorage {
  let file: string | undefined
  return async () => {
    if (file === undefined) {
      const first = openTestStorage()
      file = first.file
      return first.storage
    }
    const storage = openSqliteStorage(file, storageOptions({ vault: createVault(TEST_MASTER_KEY) }))
    onTestFinished(() => storage.close())
    return storage
  }
}
