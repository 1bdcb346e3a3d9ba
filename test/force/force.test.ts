import { expect, it, onTestFinished } from 'vitest'
import { SCENARIOS } from './scenarios.ts'

it.each(SCENARIOS)(
  '$name: $promise',
  async ({ run }) => {
    const outcome = await run('quick', { onEnd: onTestFinished, say: () => undefined })
    expect(outcome).toMatchObject({ kind: 'done', broken: [] })
  },
  180_000,
)
