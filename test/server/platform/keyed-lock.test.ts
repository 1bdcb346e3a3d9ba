import { describe, expect, it } from 'vitest'
import { createKeyedLock } from '../../../server/platform/keyed-lock.ts'
import { settle } from '../../support/clock.ts'

/** Acts that record their start and end, and end when the test resolves them. */
function recorder() {
  const lock = createKeyedLock()
  const events: string[] = []
  const ends = new Map<string, () => void>()
  const run = (key: string, name: string) =>
    lock.run(key, async () => {
      events.push(`${name} begins`)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      events.push(`${name} ends`)
      return name
    })
  return { lock, events, run, end: (name: string) => ends.get(name)?.() }
}

describe('the keyed lock', () => {
  it('runs calls with the same key one after another, in call order', async () => {
    const { events, run, end } = recorder()
    const all = [run('key', 'first'), run('key', 'second'), run('key', 'third')]
    for (const name of ['first', 'second', 'third']) {
      await settle()
      end(name)
    }
    expect(await Promise.all(all)).toEqual(['first', 'second', 'third'])
    expect(events).toEqual([
      ...['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends'],
    ])
  })

  it('runs calls with different keys concurrently', async () => {
    const { events, run, end } = recorder()
    const all = [run('one', 'first'), run('other', 'second')]
    await settle()
    expect(events).toEqual(['first begins', 'second begins'])
    for (const name of ['first', 'second']) end(name)
    await Promise.all(all)
  })

  it('continues after a failed call, and rejects only that call', async () => {
    const { lock } = recorder()
    const failing = lock.run('key', () => Promise.reject(new Error('broken')))
    const next = lock.run('key', async () => 'next')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })
})
