import { expect, it } from 'vitest'
import { IDLE_MS, LONGEST_MS } from '../../../../server/operators/session.ts'
import { OPERATOR } from '../../../support/actors.ts'
import { AT, hashOf } from '../shop.ts'
import type { OpenStorage } from '../storage-contract.ts'

const link = { hash: hashOf('link'), name: 'minh', role: 'operator', expiresAt: AT + 60_000 } as const
const MINH = { id: 's1', name: 'minh', role: 'operator', createdAt: AT, seenAt: AT }

export function operatorContract(open: OpenStorage) {
  async function withLink() {
    const opened = await open()
    const { operators } = opened.storage
    await operators.addLink(OPERATOR, link, AT)
    return { ...opened, operators }
  }
  async function loggedIn() {
    const opened = await withLink()
    await opened.operators.logIn(link.hash, { id: 's1', hash: hashOf('s1') }, AT)
    return opened
  }

  it('uses a link up, of two at once as well', async () => {
    const { operators, openOther } = await withLink()
    const { operators: there } = await openOther()
    expect(await operators.hasLink(link.hash, AT)).toBe(true)
    const begun = await Promise.all(
      [operators, there, operators].map((one, index) =>
        one.logIn(link.hash, { id: `s${index}`, hash: hashOf(`s${index}`) }, AT),
      ),
    )
    expect(begun.filter((session) => session !== undefined)).toMatchObject([
      { name: 'minh', role: 'operator' },
    ])
    expect(await operators.hasLink(link.hash, AT)).toBe(false)
    expect(await operators.sessions(AT)).toHaveLength(1)
  })

  it('refuses a link from its end on, and one that there never was', async () => {
    const { operators } = await withLink()
    expect(await operators.hasLink(link.hash, link.expiresAt)).toBe(false)
    expect(await operators.logIn(link.hash, { id: 's', hash: hashOf('s') }, link.expiresAt)).toBeUndefined()
    expect(await operators.logIn(hashOf('other'), { id: 's', hash: hashOf('s') }, AT)).toBeUndefined()
    expect(await operators.sessions(AT)).toEqual([])
  })

  it('keeps a session, also after reopening, and every process finds it', async () => {
    const { operators, reopen, openOther } = await loggedIn()
    expect(await operators.session(hashOf('s1'))).toEqual(MINH)
    expect(await (await openOther()).operators.session(hashOf('s1'))).toEqual(MINH)
    const again = (await reopen()).operators
    await again.noteUse('s1', AT + 90_000)
    expect(await again.session(hashOf('s1'))).toEqual({ ...MINH, seenAt: AT + 90_000 })
  })

  it('ends a session once, and names its person and who ended it', async () => {
    const { operators, storage } = await loggedIn()
    expect(await operators.end(OPERATOR, 's1', AT)).toBe(true)
    expect(await operators.end(OPERATOR, 's1', AT)).toBe(false)
    expect(await operators.session(hashOf('s1'))).toBeUndefined()
    expect(await storage.audit.list({ limit: 3 })).toMatchObject([
      { action: 'console.logout', actor: 'lan', subject: 'minh' },
      {
        action: 'console.login',
        actor: 'minh',
        subject: 'minh',
        details: { role: 'operator', via: 'console' },
      },
      { action: 'console.link', actor: 'lan', subject: 'minh', details: { role: 'operator' } },
    ])
  })

  it.each([
    ['has not been used for an hour', AT + IDLE_MS],
    ['has begun twelve hours ago', AT + LONGEST_MS],
  ])('lists no session that %s, and deletes it at the next login', async (_, at) => {
    const { operators } = await loggedIn()
    if (at === AT + LONGEST_MS) await operators.noteUse('s1', at - 1)
    expect(await operators.sessions(at - 1)).toHaveLength(1)
    expect(await operators.sessions(at)).toEqual([])
    await operators.addLink(OPERATOR, { ...link, hash: hashOf('2'), expiresAt: at + 1 }, at)
    await operators.logIn(hashOf('2'), { id: 's2', hash: hashOf('s2') }, at)
    expect(await operators.session(hashOf('s1'))).toBeUndefined()
  })
}
