import { describe, expect, it, type TestContext } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { profileSchema } from '../../../protocol/conformance/case/profile.ts'
import { selectCases } from '../../../protocol/conformance/case/select.ts'
import type { CaseResult } from '../../../protocol/conformance/report/report.ts'
import { runConformance } from '../../../protocol/conformance/run/run.ts'
import { machineClock } from '../../../protocol/conformance/wire/clock.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import { NOT_FOR_A_WHOLE_DEVICE } from '../../protocol/c/shares.ts'
import { PATIENCE } from '../../protocol/conformance/support/patience.ts'
import { temporaryFolder, withFile } from '../../support/folder.ts'
import { startTestHub } from '../../support/hub.ts'
import { findChromium, NO_BROWSER } from '../../support/processes/browser.ts'
import { startKitOrigin } from './browser/kit-origin.ts'
import { LeapingClock } from './browser/leaping-clock.ts'
import { PageUnderTest, POWER_CUTS, type PowerCut } from './browser/page-under-test.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no page goes through the conformance kit: ${NO_BROWSER}\n`)

const SERIAL = 'SHOP-0042'
const KEY = Buffer.alloc(32, 5)
const MINUTES = 60_000
const WRONG = ['fail', 'warn', 'error', 'not_run']
/** A run mostly waits for its device, so several devices have a share of the cases each. */
const SHARES = 3
/** Runs of a case that a busy machine is too slow to decide. One that fails once has failed. */
const TRIES = 4

const cases = loadCases()
/** The rules for every packet belong to all runs. */
const rules = cases.flatMap(({ id, always }) => (always ? [id] : []))
/** It has a screen, a voice and both languages, uses the hub's clock, takes no updates, and does not tell its health. */
const OF_OTHER_DEVICES = [
  ...NOT_FOR_A_WHOLE_DEVICE,
  ...cases.flatMap(({ id, needs }) => (needs.includes('update') || needs.includes('health') ? [id] : [])),
]
/** They wait for five to fifteen minutes. The other slow cases take a minute or less, and have it. */
const OF_MINUTES = [
  'reconnection/wait-grows',
  'reconnection/refused-fifteen-minutes',
  'screen/missed-outlasts-qr',
]
const acts = cases.filter(({ id, steps }) => steps && !OF_OTHER_DEVICES.includes(id))
const idsOf = (some: typeof cases) => some.map(({ id }) => id)
const ofPower = idsOf(
  acts.filter(({ id, needs }) => needs.includes('power-cycle') && !OF_MINUTES.includes(id)),
)
/** The slow ones first, so that each share has as many. */
const others = idsOf(acts.toSorted((a, b) => Number(b.slow) - Number(a.slow))).filter(
  (id) => !OF_MINUTES.includes(id) && !ofPower.includes(id),
)

const onEnd = withFile()
const hub = chromium === undefined ? undefined : startTestHub({ onEnd })

interface Way {
  powerCut: PowerCut
  /** Both clocks leap while the kit waits for minutes. */
  leaps?: boolean
}

/** Runs cases against a page in a browser of its own. */
async function run(
  { onTestFinished }: TestContext,
  only: readonly string[],
  { powerCut, leaps = false }: Way,
): Promise<readonly CaseResult[]> {
  const { origin, listen } = await startKitOrigin((await hub)?.http ?? '', onTestFinished)
  const profile = temporaryFolder(onTestFinished)
  const device = new PageUnderTest({
    ...{ program: chromium ?? '', profile, origin, powerCut, leaps, onEnd: onTestFinished },
  })
  const clock = new LeapingClock()
  const report = runConformance({
    ...{ kit: '0.0.0', identity: { serial: SERIAL, key: KEY, keys: deriveKeys(KEY) } },
    profile: profileSchema.parse({ clock: 'hub', timings: { ...PATIENCE, quietMs: 200 } }),
    cases: selectCases(cases, [...only, ...rules], { slow: true }).cases,
    leftOut: [],
    operator: device.operator,
    clock: leaps ? clock : machineClock(() => Date.now()),
    async listen(serve) {
      const server = await listen(serve)
      await device.open(`#serial=${SERIAL}&key=${KEY.toString('base64url')}`)
      return server
    },
    waitMs: 2 * MINUTES,
    interrupted: new Promise(() => {}),
    listener: {
      listening: () => undefined,
      connected: () => undefined,
      started: () => undefined,
      ended: () => undefined,
    },
  })
  const { results } = await (leaps ? clock.during(report, (ms) => device.leap(ms)) : report)
  return results
}

/** What a reader needs of results that are not as they should be. */
const tell = (results: readonly CaseResult[]) =>
  results.map(({ id, verdict, note, findings }) => ({ id, verdict, note, findings }))

/** Runs each share beside the others, and again what could not be decided. All of `ids` must pass, and nothing may fail. */
async function expectPass(
  context: TestContext,
  { ids, shares }: { ids: readonly string[]; shares: readonly (readonly string[])[] },
  way: Way,
): Promise<void> {
  const results = (await Promise.all(shares.map((share) => run(context, share, way)))).flat()
  const open = () => {
    const passed = new Set(results.flatMap(({ id, verdict }) => (verdict === 'pass' ? [id] : [])))
    return ids.filter((id) => !passed.has(id))
  }
  for (let tries = 1; tries < TRIES && open().length > 0; tries += 1)
    results.push(...(await run(context, open(), way)))
  expect(tell(results.filter(({ verdict }) => WRONG.includes(verdict))), way.powerCut).toEqual([])
  const undecided = open()
  expect(tell(results.filter(({ id }) => undecided.includes(id)))).toEqual([])
  expect(undecided).toEqual([])
}

describe.skipIf(chromium === undefined).concurrent('a speaker in a browser at the conformance kit', () => {
  it(
    'passes every case over WebSocket, the slow ones too; it ends cleanly when its tab is closed',
    async (context) => {
      const shares = Array.from({ length: SHARES }, (_, share) =>
        others.filter((_id, place) => place % SHARES === share),
      )
      await expectPass(context, { ids: [...others, ...rules], shares }, { powerCut: 'browser killed' })
    },
    30 * MINUTES,
  )

  // One behind the other: a small machine is too slow for more browsers at once.
  it(
    'passes the cases with power cuts, whichever way it is cut, and those that wait for minutes, on clocks that leap',
    async (context) => {
      for (const powerCut of POWER_CUTS)
        await expectPass(context, { ids: ofPower, shares: [ofPower] }, { powerCut })
      const way: Way = { powerCut: 'browser killed', leaps: true }
      await expectPass(context, { ids: OF_MINUTES, shares: [OF_MINUTES] }, way)
    },
    30 * MINUTES,
  )
})
