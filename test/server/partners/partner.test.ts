import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endingSecrets, liveSecrets, MAX_LIVE_SECRETS } from '../../../server/partners/partner.ts'

const secret = (id: string, createdAt: number, expiresAt?: number) => ({ id, createdAt, expiresAt })
const idsOf = (secrets: { id: string }[]) => secrets.map(({ id }) => id)

describe('the live secrets of a partner', () => {
  it.each([
    ['the newest first', [secret('old', 1, 100), secret('new', 2)], ['new', 'old']],
    ['not the one that ends now', [secret('old', 1, 50), secret('new', 2)], ['new']],
    ['two at most', [secret('a', 1, 100), secret('b', 2, 100), secret('c', 3)], ['c', 'b']],
    ['none', [], []],
  ])('are %s', (_what, secrets, live) => {
    expect(idsOf(liveSecrets(secrets, 50))).toEqual(live)
  })
})

describe('a new secret', () => {
  it('lets the newest live on until the end of the overlap, and ends an older one at once', () => {
    const all = [secret('ended', 0, 40), secret('old', 1, 100), secret('new', 2)]
    expect(endingSecrets(all, 50, 200)).toEqual([
      { secret: all[1], expiresAt: 50 },
      { secret: all[2], expiresAt: 200 },
    ])
  })

  it('leaves no third secret alive, however fast the rotations follow each other', () => {
    const rotations = fc.array(fc.record({ afterMs: fc.nat(50), overlapMs: fc.nat(200) }))
    fc.assert(
      fc.property(rotations, (steps) => {
        let now = 0
        let secrets = [secret('0', now)]
        for (const [index, { afterMs, overlapMs }] of steps.entries()) {
          now += afterMs
          const ending = endingSecrets(secrets, now, now + overlapMs)
          secrets = secrets.map((one) => ({
            ...one,
            expiresAt: ending.find((end) => end.secret === one)?.expiresAt ?? one.expiresAt,
          }))
          secrets.push(secret(String(index + 1), now))
          const alive = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now)
          expect(alive.length).toBeLessThanOrEqual(MAX_LIVE_SECRETS)
        }
      }),
    )
  })
})
