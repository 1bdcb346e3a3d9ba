import { describe, expect, it } from 'vitest'
import { createKeyedLock } from '../../../server/platform/keyed-lock.ts'
import { settle } from '../../support/clock.ts'

/** Acts that note their beginning and end, and end when they are told to. */
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
  it('runs acts of one key one after another, in the order of their calls', async () => {
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

  it('lets acts of other keys run at the same time', async () => {
    const { events, run, end } = recorder()
    const all = [run('one', 'first'), run('other', 'second')]
    await settle()
    expect(events).toEqual(['first begins', 'second begins'])
    for (const name of ['first', 'second']) end(name)
    await Promise.all(all)
  })

  it('goes on after an act that failed, and hands its error to its caller alone', async () => {
    const { lock } = recorder()
    const failing = lock.run('key', () => Promise.reject(new Error('broken')))
    const next = lock.run('key', async () => 'next')
    await expect(failing).rejects.toThrow('broken')
    expect(await next).toBe('next')
  })
})
