import { labelHash } from '../../../server/devices/label.ts'
import { SHIPPED } from '../../../server/dialects/boxes.ts'
import { boxLoginHash, expectedPassword } from '../../../server/dialects/profile/login.ts'
import { wireIdOf } from '../../../server/dialects/profile/names.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import type { BoxKind } from '../../../simulator/boxes/kinds.ts'
import { OPERATOR } from '../../support/actors.ts'
import { LABEL } from '../storage/boxes.ts'

export const PASSWORD = 'pw'
const SECRET = 'secret'
/** Kinds whose maker computes the password. */
const COMPUTED: readonly BoxKind[] = ['alink', 'morefun']

/** Adds a box to a storage. Returns what its simulated twin is set up with. */
export async function mintBox(
  { devices }: Pick<Storage, 'devices'>,
  kind: BoxKind,
  {
    serial,
    at,
    profile = kind,
    change,
  }: {
    serial: string
    at: number
    profile?: string | undefined
    /** Makes a profile of its own of the one that ships. */
    change?: object | undefined
  },
) {
  const shipped = SHIPPED.get(kind)
  if (!shipped) throw new Error(`no profile ${kind} ships`)
  const productKey = shipped.productKey ?? 'pk'
  const [given, secret] = COMPUTED.includes(kind) ? [undefined, SECRET] : [PASSWORD, undefined]
  const expected = expectedPassword(shipped, { serial, given, secret, productKey })
  if ('refused' in expected) throw new Error(expected.refused)
  const [key, deviceId] = [Buffer.alloc(32, serial.length), createRandomIds().uuid()]
  const added = await devices.mintBox(OPERATOR, {
    ...{ id: deviceId, serial, key, loginHash: boxLoginHash(expected.password), at },
    ...{ dialect: shipped.dialect, profile, wireId: wireIdOf(shipped, serial) },
    labelHash: labelHash(key, serial, LABEL),
    ...(change && { document: JSON.stringify({ ...shipped, ...change }) }),
  })
  if (added !== 'added') throw new Error(added)
  return { deviceId, login: { password: given, secret: secret ?? '', productKey } }
}
