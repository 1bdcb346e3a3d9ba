import { describe, expect, it } from 'vitest'
import { missingForC, smallestCDevice } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'

/** test/long/protocol/c-device-kit.test.ts runs every case, with all that the device has. */
describe.skipIf(missingForC() !== undefined)(
  'the device in C at the conformance kit',
  { concurrent: true },
  () => {
    it('sb/1 7.17: passes without a screen, which is a matter of its configuration', async (context) => {
      const areas = ['session', 'ack', 'dedupe', 'reconnection']
      const { cases, errors } = await runKit(context, 'speaker', areas)
      const idsOf = idsIn(cases)
      expect(errors).toBe('')
      expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
      expect(idsOf('pass')).toEqual(expect.arrayContaining(['ack/announce']))
      expect(idsOf('skip')).toEqual(expect.arrayContaining(['ack/code']))
    })

    it('sb/1 7.17: passes as the smallest build, which lacks what its hardware has', async (context) => {
      const { device: program } = await smallestCDevice()
      const areas = ['session', 'ack', 'rekey', 'update']
      const { cases, errors } = await runKit(context, 'screen,speaker,qr,rekey,update', areas, { program })
      const idsOf = idsIn(cases)
      expect(errors).toBe('')
      expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
      expect(idsOf('pass')).toEqual(expect.arrayContaining(['ack/announce', 'ack/no-screen', 'ack/no-qr']))
    })

    it.for([
      {
        clock: 'told' as const,
        only: ['expiry/clock-of-welcome-preferred', 'power/given-up-in-time', 'health'],
        against: [],
      },
      // It breaks a SHOULD: it ignores the time of the welcome.
      { clock: 'own' as const, only: ['expiry'], against: ['expiry/clock-of-welcome-preferred'] },
    ])('sb/1 11.1: passes with a clock of its own: $clock', async ({ clock, only, against }, context) => {
      const { cases, errors } = await runKit(context, 'screen,speaker,qr,health', only, { clock })
      const idsOf = idsIn(cases)
      expect(errors).toBe('')
      expect(idsOf('fail', 'inconclusive')).toEqual([])
      expect(idsOf('warn')).toEqual(against)
      expect(idsOf('pass')).not.toEqual([])
    })
  },
)
