import { onTestFinished } from 'vitest'
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
import { createVault } from '../../../server/security/vault.ts'
import { createStorageCircuit } from '../../../server/storage/circuit.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createVirtualClock, settle, type VirtualClock } from '../../support/clock.ts'
import { createTestCore } from '../../support/core.ts'
import { openTestStorage, TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { AT, bornWith, createShop, type LinkedSpeaker, type MintedDevice, payWell } from '../storage/shop.ts'

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
  const circuit = createStorageCircuit(clock)
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
      async publish(payload) {
        raw.push({ payload, at: clock.now() })
      },
      close() {
        state.closed = true
      },
    }
    const login = sb1.loginHash(device.key).toString('hex')
    const identity = { deviceId, serial, sessionId: sid, keepaliveMs: 60_000, login }
    const writer = sb1.codec(identity, device.key)
    const session = delivery.open(identity, { writer, link })

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
    delivery.announce(result.announcements, 'till')
    await settle()
    return ftCode
  }

  /** Stores a bill and pays it in full. The screens are not refreshed. */
  async function payBill(amount: string, billNumber: string) {
    await storage.bills.put(clientId, shop.bill(speaker.storeId, { amount, billNumber }), clock.now())
    return pay(amount, { billNumber })
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
  }
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
