import { join } from 'node:path'
import { buildVietQr } from '../../../protocol/vietqr/build.ts'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { registerDevice } from '../../../server/devices/register-device.ts'
import { codeHashes } from '../../../server/devices/send-verification.ts'
import { CODE_VALID_MS } from '../../../server/devices/verification-code.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { issueTokens } from '../../../server/partners/tokens.ts'
import { NO_NETWORK } from '../../../server/platform/net/address.ts'
import { byPartner } from '../../../server/security/actor.ts'
import { createVault, type Vault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { createUrlCheck } from '../../../server/webhooks/accept-url.ts'
import { manageWebhooks } from '../../../server/webhooks/manage-webhooks.ts'
import type { Webhook } from '../../../server/webhooks/webhook.ts'
import { OPERATOR } from '../../support/actors.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { type MintedBox, mintTownBoxes } from '../boxes/town-boxes.ts'
import { diceFrom } from '../kit/dice.ts'
import { createSeededIds } from '../kit/ids.ts'
import { BEGINNING } from '../kit/timeline.ts'

const MASTER_KEY = Buffer.alloc(32, 7)
const CODE = '123456'
/** Nothing that a screen does is of interest here. */
const DARK = { refresh: () => undefined, clearCode: () => undefined, clearBill: () => undefined }

export interface Partner {
  clientId: string
  clientSecret: string
  accessToken: string
}

export interface Till {
  partner: Partner
  storeId: string
  terminalID: string
  storeName: string
  /** The speakers and boxes that are registered for it in the beginning. */
  serials: readonly string[]
}

/** Where a partner's webhooks go. */
export type Endpoint = Pick<Webhook, 'id' | 'clientId' | 'url' | 'types'>

export interface MintedSpeaker {
  serial: string
  deviceId: string
  key: Buffer
}

/** Two partners, three tills and four speakers, as every world begins with them; made once, by the hub's verbs. */
export interface Town {
  /** The database, closed. */
  file: string
  vault: Vault
  partners: readonly Partner[]
  tills: readonly Till[]
  speakers: readonly MintedSpeaker[]
  /** Boxes of other makers. Most towns have none. */
  boxes: readonly MintedBox[]
  /** One of each partner. */
  endpoints: readonly Endpoint[]
}

interface Place {
  partner: 0 | 1
  terminalID: string
  speakers: readonly number[]
  boxes: readonly number[]
  staticQr?: string
}

/** Who is at which till: two speakers at one, one at two tills, one that is nobody's. */
const PLAN: readonly Place[] = [
  { partner: 0, terminalID: 'T-A', speakers: [0, 1], boxes: [0] },
  { partner: 0, terminalID: 'T-B', speakers: [1], boxes: [1] },
  // The same terminal as the other partner's: theirs to name.
  { partner: 1, terminalID: 'T-A', speakers: [2], boxes: [2, 3] },
]
/** Of a town with boxes: a box by itself, at a till with a code from which the hub makes that of an amount. */
const BOX_PLACE: Place = {
  ...{ partner: 1, terminalID: 'T-K', speakers: [], boxes: [4] },
  staticQr: staticVietQr(),
}

/** What the endpoint of each partner wants. Undefined: all. */
const WANTED: readonly Webhook['types'][] = [
  undefined,
  ['payment.recorded', 'announcement.played', 'announcement.missed'],
]

export async function buildTown(folder: string, { hasBoxes = false } = {}): Promise<Town> {
  const file = join(folder, hasBoxes ? 'town-with-boxes.db' : 'town.db')
  const vault = createVault(MASTER_KEY)
  const clock = { now: () => BEGINNING, elapsed: () => 0, after: () => () => undefined }
  const ids = createSeededIds(diceFrom(0, 'town'), clock.now)
  const storage = openSqliteStorage(file, storageOptions({ vault, ids }))
  const { partners: records, tokens, devices, codes } = storage
  const register = registerDevice({
    devices,
    screens: { ...DARK, showCode: async () => ({ kind: 'done' }) },
    vault,
    clock,
    ids,
  })

  const partners: Partner[] = []
  for (const name of ['Acme', 'Bolt']) {
    const made = await createPartner({ by: OPERATOR, partners: records, clock, ids }, name)
    const { accessToken } = await issueTokens({ tokens, clock, ids }, made.clientId)
    partners.push({ ...made, accessToken })
  }
  const { createWebhook } = manageWebhooks({
    ...{ webhooks: storage.webhooks, events: storage.events, ids, clock },
    acceptUrl: createUrlCheck({ resolve: async () => [], allow: NO_NETWORK }),
    changed: () => undefined,
  })
  const endpoints: Endpoint[] = []
  for (const [index, { clientId }] of partners.entries()) {
    const url = `https://partner-${index}.example/events`
    const fields = { url, types: WANTED[index], description: '' }
    const { webhook } = await createWebhook(clientId, fields, () => undefined)
    endpoints.push(webhook)
  }
  const speakers: MintedSpeaker[] = []
  for (let count = 0; count < 4; count += 1) {
    const minted = await mintDevice({ by: OPERATOR, devices, loginHash: sb1.loginHash, clock, ids })
    const credentials = minted && (await devices.credentials(minted.serial))
    if (!credentials) throw new Error('a device that was just minted is on record')
    speakers.push(credentials)
  }
  const boxes = hasBoxes ? await mintTownBoxes(storage, ids, BEGINNING) : []
  const tills: Till[] = []
  for (const place of hasBoxes ? [...PLAN, BOX_PLACE] : PLAN) {
    const { partner: index, terminalID } = place
    const partner = at(partners, index)
    const { clientId } = partner
    const there = [
      ...place.speakers.map((one) => at(speakers, one)),
      ...(hasBoxes ? place.boxes.map((one) => at(boxes, one)) : []),
    ]
    const serials = there.map(({ serial }) => serial)
    const storeName = `${terminalID} of ${index === 0 ? 'Acme' : 'Bolt'}`
    for (const { serial, deviceId } of there) {
      const [hash] = codeHashes(vault, clientId, serial, CODE)
      const expiresAt = BEGINNING + CODE_VALID_MS
      await codes.issue(
        byPartner(clientId),
        { id: ids.uuid(), deviceId, clientId, hash, expiresAt },
        BEGINNING,
      )
      const store = {
        terminalID,
        storeName,
        bankName: 'MB Bank',
        bankCode: 'MB',
        staticQRCode: place.staticQr ?? `QR ${storeName}`,
      }
      const request = { serial, verificationCode: CODE, phoneNumber: '0912345678', store, rmCode: undefined }
      const registered = await register(clientId, request)
      if (tills.every(({ storeId }) => storeId !== registered.store.id))
        tills.push({ partner, storeId: registered.store.id, terminalID, storeName, serials })
    }
  }
  storage.close()
  return { file, vault, partners, tills, speakers, boxes, endpoints }
}

function staticVietQr(): string {
  const built = buildVietQr({ bin: '970422', account: '0123456789' })
  if (!built.ok) throw new Error('a code of a bank and an account can be built')
  return built.value
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index]
  if (found === undefined) throw new RangeError(`the plan names number ${index}, which is not there`)
  return found
}
