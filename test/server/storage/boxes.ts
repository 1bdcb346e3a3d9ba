import { labelHash } from '../../../server/devices/label.ts'
import type { MintedBox } from '../../../server/devices/ports.ts'
import { AT, hashOf } from './shop.ts'

/** The label of every box of tests. */
export const LABEL = 'ABCD2345EFGH'

/** A speaker of another maker, to be added. */
export function boxOf(name: string, change: Partial<MintedBox> = {}): MintedBox {
  const [serial, key] = [`BOX-${name}`, hashOf(`key ${name}`)]
  return {
    ...{ id: `box ${name}`, serial, key, loginHash: hashOf(`password ${name}`), at: AT },
    ...{ dialect: 'hemipay', profile: 'hemipay', wireId: `W-${name}` },
    labelHash: labelHash(key, serial, LABEL),
    ...change,
  }
}
