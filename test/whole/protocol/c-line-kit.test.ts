import { describe, expect, it } from 'vitest'
import { builtCLine, missingForCore } from '../../protocol/c/build.ts'
import { idsIn, runKit } from '../../protocol/c/kit.ts'

describe.skipIf(missingForCore() !== undefined)('the line of the firmware at the conformance kit', () => {
  it('passes the areas of the connection over a modem, and sees no memory error', async (context) => {
    const areas = ['session', 'ack', 'dedupe', 'reconnection']
    const { device } = await builtCLine()
    const { cases, errors } = await runKit(context, 'screen,speaker,qr,rekey', areas, { program: device })
    const idsOf = idsIn(cases)
    expect(errors).toBe('')
    expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
    expect(idsOf('pass')).toEqual(expect.arrayContaining(['ack/announce', 'ack/code']))
  })
})
