import { describe, expect, it } from 'vitest'
import { logIn } from '../../../server/partners/log-in.ts'
import { createLoginThrottle } from '../../../server/partners/login-throttle.ts'
import { createPartner, rotateSecret, SECRET_OVERLAP_MS } from '../../../server/partners/manage-partners.ts'
import {
  ACCESS_TOKEN_MS,
  authenticate,
  REFRESH_FAMILY_MS,
  refreshTokens,
} from '../../../server/partners/tokens.ts'
import { HubError } from '../../../server/platform/errors.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { OPERATOR } from '../../support/actors.ts'
import { createVirtualClock } from '../../support/clock.ts'
import { openTestStorage } from '../../support/storage.ts'

async function door() {
  const { storage } = openTestStorage()
  const { partners, tokens } = storage
  const clock = createVirtualClock()
  const ids = createRandomIds()
  const deps = { by: OPERATOR, partners, tokens, clock, ids, throttle: createLoginThrottle(clock) }
  const partner = await createPartner(deps, 'Acme')
  const [open, renew] = [logIn(deps), refreshTokens(deps)]
  /** Whose requests were counted; while it is `full`, nobody is let on. */
  const limit: { counted: string[]; full: boolean } = { counted: [], full: false }
  const admit = (clientId: string) => {
    limit.counted.push(clientId)
    if (limit.full) throw new HubError('RATE_LIMITED')
  }
  return {
    ...{ clock, deps, partners, partner, limit },
    logIn: (clientId: string, secret: string, network = '192.0.2.1') =>
      open(clientId, secret, { network, admit }),
    refresh: (token: string) => renew(token, admit),
    who: authenticate(deps),
  }
}

const refused = (kind: string) => expect.objectContaining({ kind })

describe('a login', () => {
  it('gives tokens that say who the partner is, for an hour and thirty days', async () => {
    const { clock, logIn, who, partner } = await door()
    const tokens = await logIn(partner.clientId, partner.clientSecret)
    expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresIn: 3_600, refreshExpiresIn: 2_592_000 })
    expect(await who(tokens.accessToken)).toBe(partner.clientId)
    await clock.wind(ACCESS_TOKEN_MS - 1)
    expect(await who(tokens.accessToken)).toBe(partner.clientId)
    await clock.wind(1)
    await expect(who(tokens.accessToken)).rejects.toEqual(refused('TOKEN_EXPIRED'))
  })

  it('says the same of a wrong secret as of a client that does not exist', async () => {
    const { logIn, partner } = await door()
    await expect(logIn(partner.clientId, 'wrong')).rejects.toEqual(refused('INVALID_CLIENT'))
    await expect(logIn('sbc_nobody', partner.clientSecret)).rejects.toEqual(refused('INVALID_CLIENT'))
  })

  it('takes either secret during a rotation, and the old one no longer after it', async () => {
    const { clock, deps, logIn, partner } = await door()
    const rotated = await rotateSecret(deps, partner.clientId)
    if (!rotated) throw new Error('the partner exists')
    await logIn(partner.clientId, partner.clientSecret)
    await logIn(partner.clientId, rotated.clientSecret)
    await clock.wind(SECRET_OVERLAP_MS)
    await expect(logIn(partner.clientId, partner.clientSecret)).rejects.toEqual(refused('INVALID_CLIENT'))
    await logIn(partner.clientId, rotated.clientSecret)
  })

  it('tells a disabled partner so, but only when it proves who it is; its tokens end at once', async () => {
    const { clock, logIn, refresh, who, partners, partner } = await door()
    const tokens = await logIn(partner.clientId, partner.clientSecret)
    await partners.disable(OPERATOR, partner.clientId, clock.now())
    const { clientId, clientSecret } = partner
    await expect(logIn(clientId, clientSecret)).rejects.toEqual(refused('CLIENT_DISABLED'))
    await expect(logIn(clientId, 'wrong')).rejects.toEqual(refused('INVALID_CLIENT'))
    await expect(who(tokens.accessToken)).rejects.toEqual(refused('CLIENT_DISABLED'))
    await expect(refresh(tokens.refreshToken)).rejects.toEqual(refused('CLIENT_DISABLED'))
  })

  it('takes no more guesses of a network after ten, until the five minutes are over; the right secret always', async () => {
    const { clock, logIn, partner } = await door()
    for (let count = 0; count < 10; count += 1)
      await expect(logIn(partner.clientId, `guess ${count}`)).rejects.toEqual(refused('INVALID_CLIENT'))
    await expect(logIn(partner.clientId, 'one more')).rejects.toMatchObject({
      kind: 'TOO_MANY_LOGIN_FAILURES',
      retryAfterS: 300,
    })
    await logIn(partner.clientId, partner.clientSecret)
    await expect(logIn(partner.clientId, 'elsewhere', '192.0.2.2')).rejects.toEqual(refused('INVALID_CLIENT'))
    await clock.wind(300_000)
    await expect(logIn(partner.clientId, 'later')).rejects.toEqual(refused('INVALID_CLIENT'))
  })

  it('looks at no more than ten guesses of fifty that come at once', async () => {
    const { logIn, partner } = await door()
    const guesses = Array.from({ length: 50 }, (_, count) => logIn(partner.clientId, `guess ${count}`))
    const outcomes = await Promise.allSettled(guesses)
    const kinds = outcomes.map((one) => (one.status === 'rejected' ? one.reason.kind : 'in'))
    expect(kinds.filter((kind) => kind === 'INVALID_CLIENT')).toHaveLength(10)
    expect(kinds.filter((kind) => kind === 'TOO_MANY_LOGIN_FAILURES')).toHaveLength(40)
  })
})

describe('a refresh', () => {
  it('gives new tokens without lengthening the thirty days of the login', async () => {
    const { clock, logIn, refresh, who, partner } = await door()
    const first = await logIn(partner.clientId, partner.clientSecret)
    await clock.wind(3_600_000)
    const second = await refresh(first.refreshToken)
    expect(second).toMatchObject({ expiresIn: 3_600, refreshExpiresIn: 2_592_000 - 3_600 })
    expect(await who(second.accessToken)).toBe(partner.clientId)
    await clock.wind(REFRESH_FAMILY_MS - 3_600_000)
    await expect(refresh(second.refreshToken)).rejects.toEqual(refused('INVALID_REFRESH_TOKEN'))
  })

  it('repeats a lost answer within 60 s', async () => {
    const { clock, logIn, refresh, partner } = await door()
    const first = await logIn(partner.clientId, partner.clientSecret)
    await refresh(first.refreshToken)
    await clock.wind(60_000)
    await refresh(first.refreshToken)
  })

  it('ends everything when a token that was rotated away comes back', async () => {
    const { clock, logIn, refresh, who, partner } = await door()
    const first = await logIn(partner.clientId, partner.clientSecret)
    const second = await refresh(first.refreshToken)
    await clock.wind(60_001)
    await expect(refresh(first.refreshToken)).rejects.toEqual(refused('REFRESH_TOKEN_REUSED'))
    await expect(refresh(second.refreshToken)).rejects.toEqual(refused('REFRESH_TOKEN_REUSED'))
    await expect(who(second.accessToken)).rejects.toEqual(refused('INVALID_TOKEN'))
  })

  it.each(['', 'sbr_unknown'])('takes no token that was never given: %j', async (token) => {
    const { refresh, who } = await door()
    await expect(refresh(token)).rejects.toEqual(refused('INVALID_REFRESH_TOKEN'))
    await expect(who(token)).rejects.toEqual(refused('INVALID_TOKEN'))
  })
})

describe('the limit on requests', () => {
  it('counts a login once the partner has proven who it is, and nobody before', async () => {
    const { limit, logIn, partner } = await door()
    await expect(logIn(partner.clientId, 'wrong')).rejects.toEqual(refused('INVALID_CLIENT'))
    await expect(logIn('sbc_nobody', partner.clientSecret)).rejects.toEqual(refused('INVALID_CLIENT'))
    expect(limit.counted).toEqual([])
    await logIn(partner.clientId, partner.clientSecret)
    expect(limit.counted).toEqual([partner.clientId])
  })

  it('counts a refresh for the owner of a live token, and for nobody else', async () => {
    const { clock, limit, logIn, refresh, partner } = await door()
    const first = await logIn(partner.clientId, partner.clientSecret)
    limit.counted.length = 0
    await expect(refresh('sbr_unknown')).rejects.toEqual(refused('INVALID_REFRESH_TOKEN'))
    expect(limit.counted).toEqual([])
    const second = await refresh(first.refreshToken)
    expect(limit.counted).toEqual([partner.clientId])
    await clock.wind(60_001)
    await expect(refresh(first.refreshToken)).rejects.toEqual(refused('REFRESH_TOKEN_REUSED'))
    limit.counted.length = 0
    for (const dead of [first, second]) await expect(refresh(dead.refreshToken)).rejects.toThrow()
    expect(limit.counted).toEqual([])
  })

  it('leaves everything as it was when it refuses', async () => {
    const { limit, logIn, refresh, who, partner } = await door()
    const tokens = await logIn(partner.clientId, partner.clientSecret)
    limit.full = true
    await expect(logIn(partner.clientId, partner.clientSecret)).rejects.toEqual(refused('RATE_LIMITED'))
    await expect(refresh(tokens.refreshToken)).rejects.toEqual(refused('RATE_LIMITED'))
    limit.full = false
    // Had the refused one rotated it, this would be its repetition, and the one after it a reuse.
    const next = await refresh(tokens.refreshToken)
    expect(await who((await refresh(next.refreshToken)).accessToken)).toBe(partner.clientId)
  })
})
