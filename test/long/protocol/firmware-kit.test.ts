import { describe, expect, it } from 'vitest'
import { idsIn } from '../../protocol/c/kit.ts'
import { missingForFirmware } from '../../protocol/firmware/build.ts'
import { runKitOnFirmware } from '../../protocol/firmware/kit.ts'

/** The sentences are spoken in real time, and one case waits for 15 minutes. */
const HANGS_MS = 90 * 60_000

describe.skipIf(missingForFirmware() !== undefined)(
  'the firmware in the emulator at the conformance kit',
  () => {
    it(
      'is certified, with the cases that take minutes',
      async (context) => {
        const { code, cases, stderr, speaker } = await runKitOnFirmware(context, ['--slow', '--strict'])
        const idsOf = idsIn(cases)
        expect(idsOf('fail', 'inconclusive', 'not_run'), stderr).toEqual([])
        // Its MQTT client has the buffer that the birth states, so it can't verify what is larger (a SHOULD of sb/1 6.3).
        expect(idsOf('warn')).toEqual(['size/over-buffer'])
        expect(speaker.all('mistake')).toEqual([])
        expect(code, stderr).toBe(0)
      },
      HANGS_MS,
    )
  },
)
