import { describe, it } from 'vitest'
import { missingForC } from '../../protocol/c/build.ts'
import { PLANTS } from '../../protocol/c/plants/all.ts'
import { expectFound } from '../../protocol/c/plants/find.ts'
import { share } from '../../support/seed.ts'

/** A kit is worth what it finds. test/long/protocol/c-plants.test.ts runs the rest. */
describe.skipIf(missingForC() !== undefined)('the kit finds a device in C that', { concurrent: true }, () => {
  it.for(
    share(
      PLANTS.filter(({ isSlow }) => !isSlow),
      16,
    ).part,
  )('$name', expectFound)
})
