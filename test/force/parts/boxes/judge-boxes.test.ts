import { describe, expect, it } from 'vitest'
import {
  ANNOUNCEMENT_FRESH_MS,
  type AnnouncementTrail,
} from '../../../../server/announcements/announcement.ts'
import { createHistory, type Entry } from '../../../support/proof/history.ts'
import { at, report } from '../../../support/proof/well-behaved.ts'
import { type BoxLedger, type JudgedBox, judgeBoxes } from './judge-boxes.ts'

const terminalID = 'BOX-1'
const paid = { ftCode: 'FT1', terminalID, amount: '500' }
const heard = at(30, { kind: 'heard', terminalID, amount: '500' })
const accepted = report(paid, { at: 10, id: 'one' })

const box = (change: Partial<JudgedBox> = {}): JudgedBox => ({
  ...{ kind: 'hemipay', dialect: 'hemipay', terminalID, hasDied: false },
  ...change,
})
const oneway = box({ kind: 'openluat', dialect: 'oneway' })
const ds50 = box({ kind: 'ds50', dialect: 'oneway' })
const alink = box({ kind: 'alink', dialect: 'alink' })

function trail(
  stage: AnnouncementTrail['stage'],
  change: Partial<AnnouncementTrail> = {},
): AnnouncementTrail {
  const times = { queued: performance.timeOrigin }
  return { serial: 'S', n: 1, stage, times, reason: undefined, ...change }
}

function judged(one: JudgedBox, entries: readonly Entry[], stored?: AnnouncementTrail) {
  const trails = new Map(stored ? [[paid.ftCode, stored]] : [])
  const { ledgers, violations } = judgeBoxes(createHistory(entries), [one], trails)
  return { ledger: ledgers[one.dialect], kinds: violations.map(({ kind }) => kind) }
}

describe('the judge of boxes', () => {
  it.each<[keyof BoxLedger, JudgedBox, Entry[], AnnouncementTrail | undefined]>([
    ['once', box(), [...accepted, heard], trail('delivered')],
    ['once', oneway, [...accepted, heard], trail('expired', { reason: 'unconfirmed' })],
    ['once', alink, [...accepted, heard], trail('played')],
    ['twice', oneway, [...accepted, heard, heard], trail('delivered', { mayRepeat: true })],
    ['twice', { ...alink, hasDied: true }, [...accepted, heard, heard], trail('played')],
    ['missed', box(), accepted, trail('expired')],
    ['silent', ds50, accepted, trail('delivered')],
    ['silent', { ...alink, hasDied: true }, accepted, trail('delivered')],
    ['unknown', box(), report(paid, { at: 0, answer: 'cut' }), undefined],
  ])('counts as %s, and holds: %o', (outcome, one, entries, stored) => {
    const { ledger, kinds } = judged(one, entries, stored)
    expect(kinds).toEqual([])
    expect(ledger).toMatchObject({ sent: 1, [outcome]: 1, late: 0 })
  })

  const late = at(ANNOUNCEMENT_FRESH_MS + 20_000, { kind: 'heard', terminalID, amount: '500' })
  it.each<[what: string, kind: string, JudgedBox, Entry[], AnnouncementTrail | undefined]>([
    ['hemipay twice', 'doubled', box(), [...accepted, heard, heard], trail('delivered')],
    ['oneway twice, unmarked', 'doubled', oneway, [...accepted, heard, heard], trail('delivered')],
    [
      'oneway three times',
      'doubled',
      oneway,
      [...accepted, heard, heard, heard],
      trail('delivered', { mayRepeat: true }),
    ],
    ['alink twice, with power', 'doubled', alink, [...accepted, heard, heard], trail('played')],
    ['late', 'strange', oneway, [...accepted, late], trail('delivered')],
    ['another amount', 'strange', oneway, [at(5, { kind: 'heard', terminalID, amount: '7' })], undefined],
    ['delivered, and heard by nobody', 'lost', oneway, accepted, trail('delivered')],
    ['not on record', 'lost', box(), accepted, undefined],
    ['failed', 'lost', box(), accepted, trail('failed', { reason: 'over_limit' })],
    ['not over', 'record', box(), [...accepted, heard], trail('received')],
    [
      'heard, and not on record',
      'record',
      box(),
      [...report(paid, { at: 0, answer: 'cut' }), heard],
      undefined,
    ],
  ])('finds: %s', (_, kind, one, entries, stored) => {
    expect(judged(one, entries, stored).kinds).toContain(kind)
  })
})
