import { describe, it } from 'vitest'
import { missingForC } from '../../protocol/c/build.ts'
import { PLANTS } from '../../protocol/c/plants/all.ts'
import { expectFound, expectRightDevice } from '../../protocol/c/plants/find.ts'

/** All plants. A run mostly waits for its device. */
describe.skipIf(missingForC() !== undefined)('the kit finds a device in C that', { concurrent: true }, () => {
  it.for(PLANTS)('$name', expectFound)
})

describe.skipIf(missingForC() !== undefined)('the kit finds nothing of it in', { concurrent: true }, () => {
  it.for([false, true])('the right device, over a modem: %s', expectRightDevice)
})
