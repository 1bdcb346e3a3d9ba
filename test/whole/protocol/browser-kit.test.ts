import { describe, expect, it, type TestContext } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { profileSchema } from '../../../protocol/conformance/case/profile.ts'
import { selectCases } from '../../../protocol/conformance/case/select.ts'
import type { CaseResult, Report } from '../../../protocol/conformance/report/report.ts'
import type { Operator } from '../../../protocol/conformance/run/operator.ts'
import { runConformance } from '../../../protocol/conformance/run/run.ts'
import { machineClock } from '../../../protocol/conformance/wire/clock.ts'
import { deriveKeys } from '../../../protocol/keys.ts'
import { temporaryFolder, withFile } from '../../support/folder.ts'
import { startTestHub } from '../../support/hub.ts'
import { findChromium, NO_BROWSER } from '../../support/processes/browser.ts'
import { startKitOrigin } from './browser/kit-origin.ts'
import { PageUnderTest } from './browser/page-under-test.ts'

const chromium = findChromium()
if (chromium === undefined) process.stdout.write(`no page goes through the conformance kit: ${NO_BROWSER}\n`)

const SERIAL = 'SHOP-0042'
const KEY = Buffer.alloc(32, 5)
const MINUTES = 60_000
const WRONG = ['fail', 'warn', 'error', 'not_run']
/** A run mostly waits for its device, so several devices have a share of the cases each. */
const SHARES = 3
/** Runs of a case that a busy machine is too slow to decide. */
const TRIES = 4

const cases = loadCases()
/** The rules for every packet belong to all shares. */
const rules = cases.flatMap(({ id, always }) => (always ? [id] : []))
const acts = cases.flatMap(({ id, steps, slow }) => (steps && !slow ? [id] : []))
/** It has a screen, a voice and both languages, uses the hub's clock, and takes no updates. */
const OF_OTHER_DEVICES = [
  ...['screen', 'speaker', 'qr', 'vietnamese', 'english'].map((what) => `ack/no-${what}`),
  ...['expiry/clock-of-welcome-preferred', 'order/no-room', 'power/given-up-in-time'],
  ...['received', 'payment-meanwhile', 'late', 'checks-the-image'].map((what) => `update/${what}`),
]
/** A page that is closed can't wait for the PUBACK of its `bye`, so no DISCONNECT follows. */
const GOODBYE = 'session/goodbye'
const SKIPPED = [...OF_OTHER_DEVICES, GOODBYE]

const onEnd = withFile()
const hub = chromium === undefined ? undefined : startTestHub({ onEnd })

/** Runs cases against a page in a browser of its own. `goodbye` is what closing the page is taken for. */
async function run(
  { onTestFinished }: TestContext,
  only: readonly string[],
  { closes = false } = {},
): Promise<Report> {
  const { origin, listen } = await startKitOrigin((await hub)?.http ?? '', onTestFinished)
  const device = new PageUnderTest(chromium ?? '', temporaryFolder(onTestFinished), origin, onTestFinished)
  const operator: Operator = closes ? { goodbye: () => device.close() } : device.operator
  return runConformance({
    ...{ kit: '0.0.0', identity: { serial: SERIAL, key: KEY, keys: deriveKeys(KEY) } },
    profile: profileSchema.parse({ clock: 'hub', timings: { quietMs: 200 } }),
    cases: selectCases(cases, only, { slow: false }).cases,
    leftOut: [],
    operator,
    clock: machineClock(() => Date.now()),
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
}

const passedIn = (results: readonly CaseResult[]) =>
  new Set(results.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id))

/** What a reader needs of results that are not as they should be. */
const tell = (results: readonly CaseResult[]) =>
  results.map(({ id, verdict, note, findings }) => ({ id, verdict, note, findings }))

describe.skipIf(chromium === undefined).concurrent('a speaker in a browser at the conformance kit', () => {
  it(
    'passes every case over WebSocket; a power cut is a SIGKILL of its browser',
    async (context) => {
      const decidable = acts.filter((id) => id !== GOODBYE)
      const shares = Array.from({ length: SHARES }, (_, share) =>
        decidable.filter((_id, place) => place % SHARES === share),
      )
      const reports = await Promise.all(shares.map((share) => run(context, [...share, ...rules])))
      const results = reports.flatMap((report) => report.results)
      const open = () => {
        const passed = passedIn(results)
        return results.filter(({ id }) => !passed.has(id) && !SKIPPED.includes(id))
      }
      for (let tries = 1; tries < TRIES && open().length > 0; tries += 1) {
        const undecided = open().map(({ id }) => id)
        results.push(...(await run(context, undecided)).results)
      }
      expect(tell(results.filter(({ verdict }) => WRONG.includes(verdict)))).toEqual([])
      expect(tell(open())).toEqual([])
      const judged = new Set([...passedIn(results), ...SKIPPED])
      expect([...judged].sort()).toEqual([...acts, ...rules].sort())
    },
    30 * MINUTES,
  )

  it(
    'sb/1 3.2: says `bye` when its page is closed',
    async (context) => {
      const { transcript } = await run(context, ['session/goodbye'], { closes: true })
      expect(transcript).toContainEqual(
        expect.objectContaining({ says: expect.objectContaining({ reason: 'bye' }) }),
      )
    },
    30 * MINUTES,
  )
})
