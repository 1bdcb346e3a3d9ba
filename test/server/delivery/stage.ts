import { expect, onTestFinished, vi } from 'vitest'
import { downPrefix, openFrame, publishBytes } from '../../../protocol/frame.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import { type AnyCommand, FINAL_STAGE, parseCommand } from '../../../protocol/messages/command.ts'
import { downTopic } from '../../../protocol/topics.ts'
import type { ReasonCode } from '../../../server/announcements/announcement.ts'
import type { Cluster } from '../../../server/cluster/cluster.ts'
import type { DeviceLink, ReportedStage } from '../../../server/delivery/session/ports.ts'
import type { Born } from '../../../server/devices/device.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createMetrics } from '../../../server/operate/metrics.ts'
import { createLog } from '../../../server/platform/log.ts'
import type { BucketSize } from '../../../server/platform/token-buckets.ts'
import { byPartner } from '../../../server/security/actor.ts'
import { createVault } from '../../../server/security/vault.ts'
import { ProbingCircuit } from '../../../server/storage/circuit.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import type { StoreChange } from '../../../server/stores/store.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createVirtualClock, settle, type VirtualClock } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import {
  AT,
  bornWith,
  createShop,
  hashOf,
  type LinkedSpeaker,
  type MintedDevice,
  payWell,
} from '../storage/shop.ts'

export const NEXT_KEY = { key: Buffer.alloc(32, 5), loginHash: hashOf('next') }
export const OFFER = {
  ...{ fw: '2.0', url: 'https://updates.example/2.0.bin', size: 10, sha256: 'A'.repeat(43) },
}

/** One sending as the device receives it. Its MAC is right for the device and its session. */
export interface Heard {
  command: AnyCommand
  /** Bytes of the whole PUBLISH. */
  bytes: number
  /** The clock at the sending, milliseconds. */
  at: number
}

export type Stage = Awaited<ReturnType<typeof openStage>>
export type Line = ReturnType<Stage['connect']>

/** What hubs on the same data share. */
interface Shared {
  file: string
  clock: VirtualClock
  clientId: string
  speaker: LinkedSpeaker
}

/** Without a `given` one, opens a new file, or the file of another stage beside it. */
function openStorage(beside: Shared | undefined, given: Storage | undefined) {
  const vault = createVault(TEST_MASTER_KEY)
  if (given) return { storage: given, vault, file: '' }
  if (!beside) return openTestStorage()
  const { file } = beside
  const storage = openSqliteStorage(file, storageOptions({ vault }))
  onTestFinished(() => storage.close())
  return { storage, vault, file }
}

interface StageOptions {
  /** Works on the same data as this stage. */
  beside?: Shared
  /** In place of a storage in a file. */
  storage?: Storage
  cluster?: Cluster
  /** Requests of one partner. */
  rate?: BucketSize
}

/** A hub's delivery on real storage and a virtual clock, with one partner and one registered speaker. */
export async function openStage({ beside, storage: given, cluster, rate }: StageOptions = {}) {
  const { storage, vault, file } = openStorage(beside, given)
  const clock = beside?.clock ?? createVirtualClock(AT)
  const circuit = new ProbingCircuit(clock)
  const warnings: string[] = []
  const shop = createShop(storage)
  const log = createLog('warn', { write: (line) => void warnings.push(line) })
  const metrics = createMetrics(clock)
  const { delivery, verbs, app } = createTestCore({
    storage,
    metrics,
    vault,
    clock,
    ids: shop.ids,
    log,
    circuit,
    ...(cluster && { cluster }),
    ...(rate && { rate }),
  })
  onTestFinished(delivery.start())
  const clientId = beside?.clientId ?? (await shop.partner())
  const speaker = beside?.speaker ?? (await shop.speaker(clientId))
  // No two hubs have sessions of one id.
  let sessions = beside ? 1_000 : 0

  /** A connection of a device that records all frames. */
  function connect(device: MintedDevice = speaker) {
    sessions += 1
    const sid = sessions.toString(16).padStart(16, '0')
    const { serial, deviceId } = device
    const downKey = deriveKeys(device.key).down
    const raw: { payload: Uint8Array; at: number }[] = []
    const state = { closed: false, obeyed: 0 }
    const link: DeviceLink = {
      async publish({ payload }) {
        raw.push({ payload, at: clock.now() })
      },
      close() {
        state.closed = true
      },
      reset: () => undefined,
    }
    const login = sb1.loginHash(device.key).toString('hex')
    const identity = { deviceId, serial, sessionId: sid, keepaliveMs: 60_000, login }
    const writer = sb1.codec(identity, device.key)
    const session = delivery.open(identity, { writer, link, rules: sb1.rules })

    function decode({ payload, at }: { payload: Uint8Array; at: number }): Heard {
      const opened = openFrame(downKey, downPrefix(serial, sid), payload)
      if (!opened.ok) throw new Error(`a frame that the device must refuse: ${opened.reason}`)
      const parsed = parseCommand(opened.body)
      if (parsed.kind !== 'command') throw new Error(`a command that no device knows: ${parsed.kind}`)
      return { command: parsed.command, bytes: publishBytes(downTopic(serial), payload), at }
    }

    const heard = () => raw.map(decode)

    async function ack({ id, n }: Pick<AnyCommand, 'id' | 'n'>, stage: ReportedStage, reason?: ReasonCode) {
      const said = { commandId: id, commandNumber: n, stage, reason }
      await delivery.receive(session, { kind: 'reached', ack: said })
      await settle()
    }

    return {
      session,
      state,
      heard,
      ack,
      types: () => heard().map(({ command }) => command.t),
      /** Every sending of one type, oldest first. */
      ofType: <T extends AnyCommand['t']>(t: T) => heard().filter((one) => one.command.t === t),
      /** The bodies of one type. */
      said: (t: AnyCommand['t']) => heard().flatMap(({ command }) => (command.t === t ? [command.d] : [])),
      /** The numbers of the announcements. */
      numbers: () => heard().flatMap(({ command }) => (command.t === 'announce' ? [command.n] : [])),
      last() {
        const one = heard().at(-1)
        if (!one) throw new Error('nothing was heard')
        return one.command
      },
      async born(said: Partial<Born> = {}) {
        const born = bornWith({ languages: ['vi'], bufferBytes: 512, ...said })
        await delivery.receive(session, { kind: 'born', born })
        await settle()
      },
      /** Acks every command with its final stage, repeats included, until no more come. */
      async obey() {
        for (;;) {
          const next = heard()[state.obeyed]
          if (!next) return
          state.obeyed += 1
          await ack(next.command, FINAL_STAGE[next.command.t])
        }
      },
    }
  }

  /** Records a payment of the store, and announces it as the callback does. */
  async function pay(amount = '50000', change: { billNumber?: string; ftCode?: string } = {}) {
    const ftCode = change.ftCode ?? shop.ids.uuid()
    const result = await payWell(shop, clientId, { ...change, amount, ftCode, receivedAt: clock.now() })
    delivery.announce(result.announcements, 'till', clock.now())
    await settle()
    return ftCode
  }

  /** Stores a bill and pays it in full. The screens are not refreshed. */
  async function payBill(amount: string, billNumber: string) {
    await storage.bills.put(clientId, shop.bill(speaker.storeId, { amount, billNumber }), clock.now())
    return pay(amount, { billNumber })
  }

  const by = byPartner(clientId)
  /** Locks the speaker in the storage, or unlocks it. The hub is not told. */
  const lock = (active = false) => storage.devices.setActive(by, speaker.serial, active, clock.now())
  /** Releases the speaker in the storage. The hub is not told. */
  const release = () => storage.devices.unregister(by, speaker.serial, clock.now())
  /** Changes the store in the storage. The hub is not told. */
  const changeStore = (change: StoreChange) => storage.stores.update(by, speaker.storeId, change, clock.now())

  /** Gives the speaker a new key, or offers it firmware, as the command line does it beside a running hub. */
  async function give(what: 'key' | 'firmware') {
    const { serial, deviceId } = speaker
    if (what === 'key') await storage.maintenance.rotate(OPERATOR, serial, NEXT_KEY, clock.now())
    else await storage.maintenance.offer(OPERATOR, serial, OFFER, clock.now())
    for (const due of await storage.maintenance.due([deviceId])) delivery.maintain(due)
    await settle()
  }

  /** Changes the volume as a partner does, after the speaker has reported its own. */
  async function setVolume(volume: number) {
    await storage.settings.report(speaker.deviceId, { ver: 1, volume: 80, lang: 'vi' }, 0)
    const changed = await storage.settings.change(by, speaker.serial, { volume }, clock.now())
    if (changed?.settings.desired) delivery.configure(speaker.deviceId, changed.settings.desired)
    await settle()
  }

  /** The stored trail of a payment's announcement. */
  async function trail(ftCode: string) {
    const view = await storage.payments.findByFtCode(clientId, ftCode)
    const [announcement] = view?.announcements ?? []
    if (!announcement) throw new Error('the payment was not announced')
    return announcement
  }

  async function putBill(billNumber = 'B1', qrcode = 'QR', storeId = speaker.storeId) {
    const bill = shop.bill(storeId, { billNumber, qrcode, shownUntil: clock.now() + 900_000 })
    await storage.bills.put(clientId, bill, clock.now())
    delivery.refresh(speaker.deviceId)
    await settle()
    return bill.id
  }

  return {
    warnings,
    metrics,
    storage,
    file,
    clock,
    circuit,
    shop,
    delivery,
    verbs,
    app,
    clientId,
    speaker,
    connect,
    pay,
    payBill,
    trail,
    putBill,
    lock,
    release,
    changeStore,
    give,
    setVolume,
  }
}

/** Expects so many announcements, each once, by rising number. */
export function expectRising(line: Line, count: number) {
  const numbers = line.numbers()
  expect(numbers).toHaveLength(count)
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
}

/** The next call of an act of the outbox waits until the returned function is called. */
export function holdNext({ storage }: Stage, name: keyof Storage['outbox']): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const outbox = Object(storage.outbox)
  const act = outbox[name]
  vi.spyOn(outbox, name).mockImplementationOnce(async (...args) => {
    await promise
    return act(...args)
  })
  return resolve
}

/** A connected, born speaker that has acked all its commands. */
export async function quietLine(
  stage: Stage,
  device: LinkedSpeaker | MintedDevice = stage.speaker,
  bufferBytes = 512,
) {
  const line = stage.connect(device)
  await line.born({ bufferBytes })
  await line.obey()
  return line
}

/** A stage with its registered speaker connected and quiet. */
export async function quietStage() {
  const stage = await openStage()
  return { stage, line: await quietLine(stage) }
}
