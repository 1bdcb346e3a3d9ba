import { describe, expect, it } from 'vitest'
import { createLine } from '../../../../server/console/live/line.ts'
import { type LineLook, SHOWN } from '../../../../server/console/live/look.ts'
import { MOST_STREAMS } from '../../../../server/console/live/watch.ts'
import { shownIn } from '../../../../server/console/pages/line/show.ts'
import { IDLE_MS, type Role } from '../../../../server/operators/session.ts'
import { HubError } from '../../../../server/platform/errors.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { HUB } from '../../../../server/security/actor.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { createVirtualClock } from '../../../support/clock.ts'
import { openTestStorage } from '../../../support/storage.ts'
import { AT, createShop, payWell } from '../../storage/shop.ts'
import { hear, sessionsOf } from './viewer.ts'

const LOOK_MS = 1_000

/** A shop with a speaker, and people who look, at a clock that the test winds. */
async function world() {
  const { storage } = openTestStorage()
  const clock = createVirtualClock(AT)
  const shop = createShop(storage)
  const clientId = await shop.partner()
  const speaker = await shop.speaker(clientId, 'T1')
  const sessions = sessionsOf(storage, clock)
  let failure: Error | undefined
  let reads = 0
  const newest: typeof storage.lists.payments.newest = async (page) => {
    reads += 1
    if (failure) throw failure
    return storage.lists.payments.newest(page)
  }
  const lists = { ...storage.lists, payments: { ...storage.lists.payments, newest } }
  const line = createLine({
    ...{ storage: { ...storage, lists }, sessions, hubSince: AT, clock, log: createLog('silent') },
    retentionWaits: () => false,
  })
  async function logIn(role: Role = 'viewer') {
    const begun = await sessions.logIn(await sessions.makeLink(OPERATOR, { name: 'Minh', role }))
    if (!begun) throw new Error('not logged in')
    return begun.session
  }
  const session = await logIn()
  const show = (look: LineLook) => shownIn(look, 'en')
  const open = (who = session) => line.open({ session: who, show })
  const watch = (who = session) => hear(open(who) ?? null)
  const pay = (ftCode: string) => payWell(shop, clientId, { ftCode, receivedAt: clock.now() })
  const fail = (error: Error | undefined) => {
    failure = error
  }
  return {
    storage,
    clock,
    shop,
    clientId,
    speaker,
    sessions,
    line,
    logIn,
    session,
    open,
    watch,
    pay,
    fail,
    reads: () => reads,
  }
}

describe('a stream', () => {
  it('has everything first, and then only the rows that have changed, whole', async () => {
    const { storage, clock, speaker, watch, pay } = await world()
    await pay('FT1')
    await pay('FT2')
    const heard = watch()
    await clock.wind(10)
    expect(heard.messages).toHaveLength(1)
    const [first] = heard.messages
    const ids = first?.rows.map(([id]) => id) ?? []
    expect(ids).toHaveLength(2)
    expect(first?.order).toEqual(ids)
    expect(first?.parts.map(([id]) => id)).toEqual(['line-note', 'line-results', 'line-wrong'])

    await clock.wind(5 * LOOK_MS)
    expect(heard.messages).toHaveLength(1)

    const [, second] = await storage.outbox.open(speaker.deviceId, clock.now())
    await storage.outbox.recordAck(
      {
        ...{ announcementId: second?.id ?? '', commandNumber: second?.n ?? 0, deviceId: speaker.deviceId },
        ...{ stage: 'played', reason: undefined },
      },
      clock.now(),
    )
    await clock.wind(LOOK_MS)
    expect(heard.messages).toHaveLength(2)
    const played = heard.messages[1]
    expect(played?.rows.map(([id]) => id)).toEqual([ids[0]])
    expect(played?.rows[0]?.[1]).toMatch(/<tr id=.*class="lit played"/)
    expect(played?.order).toBeUndefined()
    expect(played?.parts.map(([id]) => id)).toEqual(['line-results'])

    await pay('FT3')
    await clock.wind(LOOK_MS)
    const added = heard.messages[2]
    expect(added?.rows).toHaveLength(1)
    expect(added?.order).toEqual([added?.rows[0]?.[0], ...ids])
  })

  it('that begins again has all rows, what came meanwhile as well; other hubs record them, too', async () => {
    const { clock, watch, open, pay, line } = await world()
    await pay('FT1')
    const body = open()
    await clock.wind(LOOK_MS)
    await body?.cancel()
    expect(line.count()).toBe(0)
    // As another hub does it: nothing tells this one.
    await pay('FT2')
    await clock.wind(LOOK_MS)
    const again = watch()
    await clock.wind(10)
    expect(again.messages[0]?.rows).toHaveLength(2)
  })

  it('reads nothing while nobody looks, and once for all who do', async () => {
    const { clock, open, reads } = await world()
    await clock.wind(10 * LOOK_MS)
    expect(reads()).toBe(0)
    const bodies = [open(), open(), open()]
    await clock.wind(10)
    const before = reads()
    await clock.wind(3 * LOOK_MS)
    expect(reads() - before).toBe(3)
    for (const body of bodies) await body?.cancel()
    const after = reads()
    await clock.wind(10 * LOOK_MS)
    expect(reads()).toBe(after)
  })

  it('says how many came when they are more than it shows', async () => {
    const { clock, watch, pay } = await world()
    await pay('FT')
    const heard = watch()
    await clock.wind(LOOK_MS)
    for (let n = 0; n < SHOWN; n += 1) await pay(`FT${n}`)
    await clock.wind(LOOK_MS)
    expect(JSON.stringify(heard.messages)).not.toContain('newest 50 of')
    for (let n = 0; n < SHOWN + 30; n += 1) await pay(`FS${n}`)
    await clock.wind(LOOK_MS)
    expect(heard.messages.at(-1)?.rows).toHaveLength(SHOWN)
    expect(JSON.stringify(heard.messages.at(-1)?.parts)).toContain('newest 50 of 80 that came')
    await clock.wind(LOOK_MS)
    expect(JSON.stringify(heard.messages.at(-1)?.parts)).not.toContain('newest 50 of')
  })

  it('is kept open by a line every 15 s', async () => {
    const { clock, watch } = await world()
    const heard = watch()
    await clock.wind(14_000)
    expect(heard.beats).toBe(0)
    await clock.wind(46_000)
    expect(heard.beats + heard.messages.length).toBeGreaterThanOrEqual(4)
    expect(heard.isOver).toBe(false)
  })

  it('says that it is late while the storage can not be read, and catches up', async () => {
    const { clock, watch, pay, fail } = await world()
    const heard = watch()
    await clock.wind(LOOK_MS)
    fail(new HubError('UNAVAILABLE'))
    await pay('FT1')
    await clock.wind(3 * LOOK_MS)
    expect(heard.events).toEqual(['late'])
    fail(undefined)
    await clock.wind(LOOK_MS)
    expect(heard.messages.at(-1)?.rows).toHaveLength(1)
    expect(heard.isOver).toBe(false)
  })
})

describe('the end of a stream', () => {
  it('comes at the logout, and leaves the streams of others open', async () => {
    const { clock, sessions, session, logIn, watch } = await world()
    const [mine, other] = [watch(), watch(await logIn('admin'))]
    await clock.wind(LOOK_MS)
    await sessions.end(HUB, session.id)
    await clock.wind(LOOK_MS)
    expect([mine.events, mine.isOver]).toEqual([['end session'], true])
    expect([other.events, other.isOver]).toEqual([[], false])
  })

  it('comes when the role is another one', async () => {
    const { clock, session, watch } = await world()
    const heard = watch({ ...session, role: 'admin' })
    await clock.wind(LOOK_MS)
    expect(heard.events).toEqual(['end session'])
  })

  it('comes when nobody has used the session for its time: to look is no use', async () => {
    const { clock, watch } = await world()
    const heard = watch()
    await clock.wind(IDLE_MS - 2 * LOOK_MS)
    expect(heard.isOver).toBe(false)
    await clock.wind(4 * LOOK_MS)
    expect(heard.events).toEqual(['end session'])
  })

  it('comes when the hub stops, which opens none any more', async () => {
    const { clock, watch, open, line } = await world()
    const heard = watch()
    await clock.wind(LOOK_MS)
    line.stop()
    await clock.wind(10)
    expect([heard.events, heard.isOver, line.count()]).toEqual([['end hub'], true, 0])
    expect(open()).toBeUndefined()
  })

  it('comes when nobody reads it', async () => {
    const { clock, open, pay, line } = await world()
    open()
    for (let n = 0; n < 30; n += 1) {
      await pay(`FT${n}`)
      await clock.wind(LOOK_MS)
    }
    expect(line.count()).toBe(0)
  })

  it('makes place: there are twenty', async () => {
    const { open, line } = await world()
    const bodies = Array.from({ length: MOST_STREAMS }, () => open())
    expect(MOST_STREAMS).toBe(20)
    expect(open()).toBeUndefined()
    await bodies[0]?.cancel()
    expect(line.count()).toBe(MOST_STREAMS - 1)
    expect(open()).toBeDefined()
  })
})
