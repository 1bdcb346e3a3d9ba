import { expect, it } from 'vitest'
import { skippedWithout } from '../../protocol/c/component.ts'
import { casesOf, exhaust, goldenFrames } from '../../protocol/c/exhaustive.ts'

/** test/whole/protocol/c-proof.test.ts does so with one frame of each type. */
it.skipIf(skippedWithout('cc', 'The readers of the core in C'))(
  'sb/1 9.1: the core in C survives each start and each other byte of every frame of the vectors',
  async () => {
    const frames = goldenFrames()
    const counts = new Map((await exhaust(frames)).map(({ readers, inputs }) => [readers, inputs]))
    expect(frames.length).toBeGreaterThan(100)
    expect(counts.get('frame')).toBe(casesOf(frames))
  },
)
