import { labelHash } from '../../server/devices/label.ts'
import { resolveProfile } from '../../server/dialects/boxes.ts'
import { boxLoginHash, expectedPassword } from '../../server/dialects/profile/login.ts'
import { wireIdOf } from '../../server/dialects/profile/names.ts'
import type { Profile } from '../../server/dialects/profile/schema.ts'
import type { Ids } from '../../server/platform/ids.ts'
import { byPartner } from '../../server/security/actor.ts'
import type { Storage } from '../../server/storage/ports.ts'
import { boxConfigOf } from '../../simulator/boxes/config.ts'
import type { BoxConfig } from '../../simulator/boxes/core/state.ts'
import type { BoxKind } from '../../simulator/boxes/kinds.ts'
import { createShop } from '../server/storage/shop.ts'
import { OPERATOR } from './actors.ts'

/** It has the 12 characters of a label, and the 16 that openLuat keeps. */
const LABEL = 'ABCD2345EFGH'
const PASSWORD = 'sixteen letters!'

/** A box with a shop, and what its maker's tool writes into it. */
export interface LinkedBox {
  kind: BoxKind
  dialect: Profile['dialect']
  deviceId: string
  serial: string
  terminalID: string
  storeId: string
  config: BoxConfig
}

/** Mints a box by the profile that ships for its kind. */
export async function mintTestBox(
  storage: Storage,
  ids: Pick<Ids, 'uuid' | 'deviceKey'>,
  kind: BoxKind,
  serial: string,
  at = Date.now(),
) {
  const profile = resolveProfile(kind)
  if (!profile) throw new Error(`${kind} has no profile`)
  const login = expectedPassword(profile, { serial, given: PASSWORD, secret: PASSWORD })
  if ('refused' in login) throw new Error(login.refused)
  const { password } = login
  const [deviceId, key, { dialect, productKey = '' }] = [ids.uuid(), ids.deviceKey(), profile]
  const minted = await storage.devices.mintBox(OPERATOR, {
    ...{ id: deviceId, serial, key, loginHash: boxLoginHash(password), dialect, profile: kind, at },
    ...{ wireId: wireIdOf(profile, serial), labelHash: labelHash(key, serial, LABEL) },
  })
  if (minted !== 'added') throw new Error(`${serial}: ${minted}`)
  return { deviceId, dialect, password, productKey, label: LABEL }
}

/** Mints a box, and registers it for a till by its label. */
export async function linkBox(
  storage: Storage,
  ids: Pick<Ids, 'uuid' | 'deviceKey'>,
  {
    kind,
    serial,
    terminalID,
    clientId,
  }: { kind: BoxKind } & Record<'serial' | 'terminalID' | 'clientId', string>,
  at = Date.now(),
): Promise<LinkedBox> {
  const { deviceId, dialect, password, productKey } = await mintTestBox(storage, ids, kind, serial, at)
  const asked = createShop(storage).registration(clientId, serial, {
    ...{ codeHashes: [], label: LABEL, store: { terminalID, phoneNumber: '0912345678' } },
  })
  const result = await storage.devices.register(byPartner(clientId), asked, at)
  if (result.kind !== 'registered') throw new Error(`${serial} is not registered: ${result.kind}`)
  const config = boxConfigOf({ serial, password, productKey })
  return { kind, dialect, deviceId, serial, terminalID, storeId: result.store.id, config }
}
