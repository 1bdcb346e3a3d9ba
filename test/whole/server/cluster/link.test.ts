import { describe, expect, it, onTestFinished } from 'vitest'
import { Link } from '../../../../server/cluster/postgres/link.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { wayTo } from '../../../support/tcp-way.ts'
import { eventually, until } from '../../../support/wait.ts'

const found = await startTestPostgres()

describe.skipIf(!found)('the connection to the other hubs', () => {
  if (!found) return

  async function open(after = systemClock.after) {
    const way = await wayTo((await found?.database()) ?? '')
    const lines: string[] = []
    const events: string[] = []
    const link = new Link({
      url: way.url,
      clock: { ...systemClock, after },
      log: createLog('info', { write: (line) => void lines.push(JSON.parse(line).msg) }),
      async ready(query) {
        await query('LISTEN test')
        events.push('ready')
      },
      heard: (payload) => void events.push(payload),
      reopened: () => void events.push('reopened'),
    })
    await link.open()
    onTestFinished(() => link.close())
    return { ...way, link, lines, events }
  }

  it.each(['cut', 'freeze'] as const)('is opened again after a %s, and says so once', async (how) => {
    const { link, lines, events, ...way } = await open()
    await link.query("SELECT pg_notify('test', 'first')")
    await eventually(() => expect(events).toEqual(['ready', 'first']))
    way[how]()
    await expect(link.query('SELECT 1')).rejects.toThrow()
    await eventually(() => expect(events.slice(2)).toEqual(['ready', 'reopened']))
    await link.query("SELECT pg_notify('test', 'second')")
    await eventually(() => expect(events.slice(4)).toEqual(['second']))
    expect(lines).toEqual([
      'the connection to the other hubs is lost: it is opened again',
      'the connection to the other hubs is open again',
    ])
  })

  it('is unavailable to who opens it first, when the server is lost before it is ready', async () => {
    const way = await wayTo((await found?.database()) ?? '')
    const link = new Link({
      ...{ url: way.url, clock: systemClock, log: createLog('silent') },
      async ready(query) {
        way.cut()
        await query('SELECT 1')
      },
      ...{ heard: () => undefined, reopened: () => undefined },
    })
    await expect(link.open()).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
  })

  it('is tried again each second: a hub that waited longer would take itself for cut off', async () => {
    const pausesMs: number[] = []
    const { link, block, mend, events } = await open((ms, act) => {
      pausesMs.push(ms)
      return systemClock.after(0, act)
    })
    block()
    await expect(link.query('SELECT 1')).rejects.toThrow()
    await until('ten seconds', () => pausesMs.reduce((sum, ms) => sum + ms, 0) > 10_000)
    expect(Math.max(...pausesMs)).toBe(1_000)
    mend()
    await until('the connection', () => events.includes('reopened'))
  })

  it('stays closed', async () => {
    const { link, lines, events } = await open()
    await link.close()
    await expect(link.query('SELECT 1')).rejects.toMatchObject({ kind: 'UNAVAILABLE' })
    await new Promise((resolve) => systemClock.after(300, () => resolve(undefined)))
    expect([events, lines]).toEqual([['ready'], []])
  })
})
