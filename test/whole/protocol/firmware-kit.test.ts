import { describe, expect, it } from 'vitest'
import { idsIn } from '../../protocol/c/kit.ts'
import { missingForFirmware } from '../../protocol/firmware/build.ts'
import { runKitOnFirmware } from '../../protocol/firmware/kit.ts'

const missing = missingForFirmware()
if (missing !== undefined) process.stderr.write(`The firmware is not tested. ${missing}\n`)

/** What depends on the firmware around the core. test/long/protocol/firmware-kit.test.ts runs every case. */
const CASES = [
  ...['session', 'ack/announce', 'ack/code', 'ack/qr', 'power/before-welcome'],
  ...['dedupe/played-over-power-cut', 'dedupe/power-cut-while-speaking'],
]

describe.skipIf(missing !== undefined)('the firmware in the emulator at the conformance kit', () => {
  it('passes the cases of the session, the acks and the power', async (context) => {
    const { cases, speaker } = await runKitOnFirmware(context, ['--only', ...CASES])
    const idsOf = idsIn(cases)
    expect(idsOf('fail', 'warn', 'inconclusive', 'not_run'), speaker.dialogue.slice(-200).join('\n')).toEqual(
      [],
    )
    expect(idsOf('pass')).toEqual(expect.arrayContaining(['session/goodbye', ...CASES.slice(1)]))
    expect(speaker.mistakes()).toEqual([])
  })
})
