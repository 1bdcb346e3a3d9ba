import { createHash } from 'node:crypto'
import type { FreeSpeaker, Owner } from '../../../server/announcements/ports.ts'
import type { Born } from '../../../server/devices/device.ts'
import type { Registration } from '../../../server/devices/ports.ts'
import { CODE_VALID_MS } from '../../../server/devices/verification-code.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import type { Bill } from '../../../server/payments/bill.ts'
import type { Payment } from '../../../server/payments/payment.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { byPartner } from '../../../server/security/actor.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import { OPERATOR } from '../../support/actors.ts'

/** The moment at which the tests' shops do their business. */
export const AT = Date.parse('2026-11-20T03:00:00.000Z')

export interface MintedDevice {
  deviceId: string
  serial: string
  key: Buffer
}

export interface LinkedSpeaker extends MintedDevice {
  storeId: string
}

/** A hash of the code, as good as the hub's keyed one for a storage that only compares it. */
export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** What a device says at its birth. */
export function bornWith(change: Partial<Born> = {}): Born {
  const none = { firmware: '', model: '', languages: [], bufferBytes: 512, played: 0, settingsVersion: 0 }
  return { ...none, caps: [], ...change }
}

/** A session of a device. */
export function ownerOf(deviceId: string, sessionId = '0123456789abcdef'): Owner {
  return { deviceId, sessionId }
}

/** Lets a device be born, so that its session owns it. Takes two command numbers. */
export async function owned(
  storage: Pick<Storage, 'outbox'>,
  deviceId: string,
  sessionId?: string,
): Promise<Owner> {
  const owner = ownerOf(deviceId, sessionId)
  await storage.outbox.begin(owner, AT, { born: bornWith() })
  return owner
}

/** The same, for a speaker that has nothing to say and whose hub knows all its numbers. */
export async function freeSpeaker(...args: Parameters<typeof owned>): Promise<FreeSpeaker> {
  const owner = await owned(...args)
  return { ...owner, knownNumber: await args[0].outbox.highestNumber(owner.deviceId) }
}

/** What a partner and its shops do, as acts on the storage with plausible fields. */
export function createShop(storage: Storage) {
  const ids = createRandomIds()

  async function partner(clientId = ids.clientId()): Promise<string> {
    await storage.partners.create(
      OPERATOR,
      { clientId, name: 'Acme', disabledAt: undefined, createdAt: AT },
      'secret',
    )
    return clientId
  }

  async function device(serial = ids.serial()): Promise<MintedDevice> {
    const minted = { id: ids.uuid(), serial, key: ids.deviceKey(), at: AT }
    await storage.devices.mint(OPERATOR, { ...minted, loginHash: sb1.loginHash(minted.key) })
    return { deviceId: minted.id, serial, key: minted.key }
  }

  function issue(clientId: string, { deviceId }: MintedDevice, code = '123456', at = AT) {
    const expiresAt = at + CODE_VALID_MS
    return storage.codes.issue(
      byPartner(clientId),
      { id: ids.uuid(), deviceId, clientId, hash: hashOf(code), expiresAt },
      at,
    )
  }

  function registration(clientId: string, serial: string, change: Partial<Registration> = {}): Registration {
    return {
      clientId,
      serial,
      codeHashes: [hashOf('123456')],
      phoneNumber: '0912345678',
      rmCode: 'RM-1',
      newUserId: ids.uuid(),
      newStoreId: ids.uuid(),
      newCodeId: ids.uuid(),
      ...change,
      store: {
        terminalID: 'T1',
        storeName: 'Phở Hà',
        bankName: 'MB Bank',
        bankCode: 'MB',
        bankAccountNumber: '0001234567',
        bankAccountName: 'NGUYEN THI HA',
        identityNumber: '001099012345',
        phoneNumber: '0912345678',
        staticQRCode: 'static QR',
        ...change.store,
      },
    }
  }

  /** A minted device, registered for a till; a code is issued and used on the way. */
  async function speaker(clientId: string, terminalID = 'T1', at = AT): Promise<LinkedSpeaker> {
    const minted = await device()
    await issue(clientId, minted, '123456', at)
    const store = { terminalID, phoneNumber: '0912345678' }
    const result = await storage.devices.register(
      byPartner(clientId),
      registration(clientId, minted.serial, { store }),
      at,
    )
    if (result.kind !== 'registered') throw new Error(`not registered: ${result.kind}`)
    return { ...minted, storeId: result.store.id }
  }

  function bill(storeId: string, change: Partial<Bill> = {}): Omit<Bill, 'paid'> {
    const shownUntil = AT + 15 * 60_000
    return { id: ids.uuid(), storeId, billNumber: 'B1', amount: '50000', qrcode: 'QR', shownUntil, ...change }
  }

  function payment(clientId: string, change: Partial<Payment> = {}): Payment {
    const ftCode = change.ftCode ?? ids.uuid()
    const said = { terminalID: 'T1', bankCode: 'MB', billNumber: '', amount: '50000', ...change, ftCode }
    return {
      id: ids.uuid(),
      clientId,
      notice: 'Thanh toan',
      paidAt: AT,
      traceTransfer: '1',
      dedupeKey: JSON.stringify(['ft', said.bankCode, ftCode]),
      contentHash: hashOf(JSON.stringify(said)).toString('hex'),
      receivedAt: AT,
      ...said,
    }
  }

  /** Records a payment by the domain's own rules. */
  function pay(clientId: string, change: Partial<Payment> = {}) {
    const one = payment(clientId, change)
    return storage.payments.record(one)
  }

  return { ids, partner, device, issue, registration, speaker, bill, payment, pay }
}

/** As `pay`, for tests in which nothing but a recorded payment makes sense. */
export async function payWell(shop: ReturnType<typeof createShop>, ...args: Parameters<typeof shop.pay>) {
  const result = await shop.pay(...args)
  if (result.kind !== 'recorded') throw new Error(`not recorded: ${result.kind}`)
  return result
}
