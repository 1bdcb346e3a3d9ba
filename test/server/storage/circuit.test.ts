import { describe, expect, it } from 'vitest'
import { HubError } from '../../../server/platform/errors.ts'
import { judgeTick, ProbingCircuit } from '../../../server/storage/circuit.ts'
import { createVirtualClock, settle } from '../../support/clock.ts'

const UNAVAILABLE = { kind: 'UNAVAILABLE', retryAfterS: 1 }
/** A processor may give up by then. */
const PATIENCE_MS = 3_000

/** What a promise has come to. Waits for no time. */
async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = 'waits'
  const note = (found: unknown) => {
    outcome = found
  }
  promise.then(note, note)
  await settle()
  return outcome
}

/** A storage whose acts and probes wait until the test answers them. */
function storage({ hasStarted = true } = {}) {
  const clock = createVirtualClock()
  const circuit = new ProbingCircuit(clock)
  const probes: PromiseWithResolvers<void>[] = []
  let isFirst = true
  circuit.watch(async () => {
    if (isFirst && hasStarted) {
      isFirst = false
      return
    }
    const probe = Promise.withResolvers<void>()
    probes.push(probe)
    return probe.promise
  })
  const act = Promise.withResolvers<string>()
  const open = circuit.pass(() => act.promise)
  open.catch(() => undefined)
  return { ...circuit, clock, probes, act, open }
}

/** A storage that was found away. */
async function away() {
  const found = storage()
  await found.clock.wind(PATIENCE_MS)
  expect(found.isAway()).toBe(true)
  return found
}

it('a storage is not found away before its first answer, however long it takes to start', async () => {
  const { clock, isAway, probes, act, open } = storage({ hasStarted: false })
  await clock.wind(PATIENCE_MS)
  expect([isAway(), probes.length]).toEqual([false, 1])
  probes[0]?.resolve()
  act.resolve('done')
  expect(await open).toBe('done')
})

describe('a storage that does not answer', () => {
  it('is found away before a processor gives up, and acts are refused at once from then on', async () => {
    const { pass, isAway, probes } = await away()
    let isRun = false
    const next = pass(async () => {
      isRun = true
    })
    await expect(next).rejects.toMatchObject(UNAVAILABLE)
    expect([isRun, isAway(), probes.length > 0]).toEqual([false, true, true])
  })

  it('is told once to whoever holds connections', async () => {
    const { clock, onAway } = storage()
    let times = 0
    onAway(() => {
      times += 1
    })
    await clock.wind(60_000)
    expect(times).toBe(1)
  })

  it('is away at once when the probe fails', async () => {
    const { clock, probes, isAway } = storage()
    await clock.wind(1_000)
    probes[0]?.reject(new Error('refused'))
    await settle()
    expect(isAway()).toBe(true)
  })

  it('is back with the first answer of any probe, and is probed again without end until then', async () => {
    const { clock, probes, pass, isAway } = await away()
    await clock.wind(600_000)
    probes.at(-1)?.reject(new Error('refused'))
    const failed = probes.length
    await clock.wind(500)
    expect(probes.length).toBeGreaterThan(failed)
    probes[0]?.resolve()
    await settle()
    expect(isAway()).toBe(false)
    await expect(pass(async () => 'stored')).resolves.toBe('stored')
  })

  it('is found away a second time', async () => {
    const { clock, probes, isAway } = await away()
    probes.at(-1)?.resolve()
    await settle()
    await clock.wind(PATIENCE_MS)
    expect(isAway()).toBe(true)
  })
})

describe('an act that may wait', () => {
  it('is carried out again when the storage is back', async () => {
    const { clock, patiently, pass, probes } = await away()
    let times = 0
    const stored = patiently(() =>
      pass(async () => {
        times += 1
        return 'stored'
      }),
    )
    await clock.wind(30_000)
    expect(times).toBe(0)
    probes.at(-1)?.resolve()
    expect([await outcomeOf(stored), times]).toEqual(['stored', 1])
  })

  it('is given up before a device takes its connection for lost', async () => {
    const { clock, patiently, pass } = await away()
    const stored = patiently(() => pass(async () => 'stored'))
    stored.catch(() => undefined)
    await clock.wind(59_000)
    expect(await outcomeOf(stored)).toMatchObject(UNAVAILABLE)
  })

  it('fails at once when the storage refuses it by itself', async () => {
    const { patiently } = storage()
    const full = new HubError('UNAVAILABLE')
    expect(await outcomeOf(patiently(() => Promise.reject(full)))).toBe(full)
  })
})

describe('a storage that answers', () => {
  it('may take as long as it likes for an act', async () => {
    const { clock, probes, isAway, act, open } = storage()
    for (let second = 0; second < 60; second += 1) {
      await clock.wind(1_000)
      for (const probe of probes) probe.resolve()
    }
    expect([isAway(), probes.length > 30]).toEqual([false, true])
    act.resolve('stored')
    await expect(open).resolves.toBe('stored')
  })

  it('is not probed for acts that take less than a moment, however many there are', async () => {
    const { clock, probes, act, pass } = storage()
    act.resolve('stored')
    for (let turn = 0; turn < 100; turn += 1) {
      const quick = Promise.withResolvers<void>()
      const done = pass(() => quick.promise)
      await clock.wind(100)
      quick.resolve()
      await done
    }
    expect(probes).toEqual([])
  })

  it('does not look when nothing is asked of it: a calm hub has no timer', async () => {
    const { clock, probes, act } = storage()
    act.resolve('stored')
    await clock.wind(500)
    let isTimer = false
    const { after } = clock
    clock.after = (ms, run) => {
      isTimer = true
      return after(ms, run)
    }
    await clock.wind(60_000)
    expect([isTimer, probes]).toEqual([false, []])
  })
})

it('does not take a stop of this process for one of the storage', async () => {
  const clock = createVirtualClock()
  let asleepMs = 0
  // A process that wakes up finds its timers over before what has arrived meanwhile.
  const circuit = new ProbingCircuit({ after: (ms, act) => clock.after(ms + asleepMs, act) })
  const probe = Promise.withResolvers<void>()
  let isAsked = false
  circuit.watch(() => {
    isAsked = true
    return probe.promise
  })
  const act = Promise.withResolvers<void>()
  const open = circuit.pass(() => act.promise)
  await clock.wind(750)
  asleepMs = 20_000
  await clock.wind(250)
  asleepMs = 0
  await clock.wind(20_250)
  expect([isAsked, circuit.isAway()]).toEqual([true, false])
  probe.resolve()
  act.resolve()
  await open
  expect(circuit.isAway()).toBe(false)
})

it('ends with its storage', async () => {
  const clock = createVirtualClock()
  const circuit = new ProbingCircuit(clock)
  const end = circuit.watch(() => Promise.reject(new Error('refused')))
  void circuit.pass(() => new Promise(() => undefined))
  await clock.wind(PATIENCE_MS)
  expect(circuit.isAway()).toBe(true)
  end()
  expect(circuit.isAway()).toBe(false)
})

describe('at a tick', () => {
  const calm = { tick: 10, isAway: false, askedAt: undefined, answeredAt: 0, oldest: undefined }
  it.each([
    ['nothing is under way', {}, 'wait'],
    ['the oldest act has taken one tick', { oldest: 9 }, 'wait'],
    ['the oldest act has taken two ticks', { oldest: 8 }, 'probe'],
    ['it has taken longer, and a probe was answered a tick ago', { oldest: 1, answeredAt: 9 }, 'wait'],
    ['it has taken longer, and a probe was answered two ticks ago', { oldest: 1, answeredAt: 8 }, 'probe'],
    ['a probe has waited for three ticks', { oldest: 1, askedAt: 7 }, 'wait'],
    ['a probe has waited for four ticks', { oldest: 1, askedAt: 6 }, 'away'],
    ['the storage is away, and no probe waits', { isAway: true }, 'probe'],
    ['the storage is away, and a probe has waited for three ticks', { isAway: true, askedAt: 7 }, 'wait'],
    ['the storage is away, and a probe has waited for four ticks', { isAway: true, askedAt: 6 }, 'probe'],
  ])('when %s', (_, found, next) => {
    expect(judgeTick({ ...calm, ...found })).toBe(next)
  })
})
