import { describe, expect, it } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { idsIn } from '../../protocol/c/kit.ts'
import { NOT_FOR_A_WHOLE_DEVICE, sharesOf } from '../../protocol/c/shares.ts'
import { missingForFirmware } from '../../protocol/firmware/build.ts'
import { runKitOnFirmware } from '../../protocol/firmware/kit.ts'

/** Two cases watch for 15 minutes. */
const HANGS_MS = 40 * 60_000
/** The firmware has no room for another image. */
const NO_UPDATE = 'update'

describe.skipIf(missingForFirmware() !== undefined)(
  'the firmware in the emulator at the conformance kit',
  () => {
    it(
      'passes every case, also those that take minutes, with a rig for its power, its screen and its sound',
      async (context) => {
        const all = loadCases()
        const runs = await Promise.all(
          sharesOf(all, { slow: true }).map((only) =>
            runKitOnFirmware(context, ['--slow', '--only', ...only]),
          ),
        )
        const idsOf = idsIn(runs.flatMap(({ cases }) => cases))
        const told = runs.map(({ stderr }) => stderr).join('')
        expect(idsOf('fail', 'inconclusive', 'not_run', 'error'), told).toEqual([])
        // Its MQTT client has the buffer that the birth states, so it can't verify what is larger (a SHOULD of sb/1 6.3).
        expect(idsOf('warn')).toEqual(['size/over-buffer'])
        const skipped = all.filter(
          ({ id, area }) => area === NO_UPDATE || NOT_FOR_A_WHOLE_DEVICE.includes(id),
        )
        const decided = new Set([...idsOf('pass', 'warn'), ...skipped.map(({ id }) => id)])
        expect(
          all.map(({ id }) => id).filter((id) => !decided.has(id)),
          told,
        ).toEqual([])
        for (const { speaker } of runs) expect(speaker.mistakes()).toEqual([])
      },
      HANGS_MS,
    )
  },
)
