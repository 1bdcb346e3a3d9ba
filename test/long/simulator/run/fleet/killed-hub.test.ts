import { expect, it, onTestFinished } from 'vitest'
import type { Summary } from '../../../../../simulator/run/fleet/report/lines.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startOwnHub } from '../../../../support/processes/own-hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

const SPEAKERS = 8

/** A hub in its own process, and a fleet without a screen that pays its speakers. */
async function payingFleet(...args: string[]) {
  const dataDir = temporaryFolder()
  const hub = await startOwnHub({ dataDir, masterKey: TEST_MASTER_KEY })
  onTestFinished(() => hub.stop())
  const fleet = start(
    process.execPath,
    [
      ...['--import', 'tsx', 'simulator/main.ts', '--fleet', String(SPEAKERS), '--headless'],
      ...['--url', hub.mqtt, '--http', hub.http, '--pay', '1', ...args],
    ],
    { HUB_DATA_DIR: dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') },
  )
  /** Waits for a summary; only later ones count. */
  const summary = async (what: string, is: (line: Summary) => boolean): Promise<Summary> => {
    const seen = fleet.events().length
    return until(what, () => {
      if (fleet.child.exitCode !== null) throw new Error(`the fleet ended: ${fleet.stderr()}`)
      return fleet
        .events()
        .slice(seen)
        .map((line): Summary => Object(line))
        .find(is)
    })
  }
  await summary(
    'a payment that was heard',
    ({ phase, pay }) => phase === 'running' && (pay?.heardOnce ?? 0) > 0,
  )
  return { hub, fleet, summary }
}

it('says that the hub is away while it is killed, and accounts for every payment when it is back', async () => {
  const { hub, fleet, summary } = await payingFleet('--duration', '1h', '--expect-rate', '0')
  const before = Date.now()
  await hub.kill()
  const dead = await summary(
    'a fleet without a hub',
    // A request that was under way when the hub died ends with another error.
    ({ away }) => typeof away?.noSpeakerSince === 'string' && !!away.failure?.includes('ECONNREFUSED'),
  )
  expect(dead).toMatchObject({ phase: 'running', links: { connected: 0 } })
  expect(Date.parse(dead.away?.noSpeakerSince ?? '')).toBeGreaterThanOrEqual(before)
  await hub.start()
  const back = await summary(
    'a whole fleet',
    ({ away, links, reconnects }) => away === null && links.connected === SPEAKERS && reconnects === SPEAKERS,
  )
  expect(back).toMatchObject({ phase: 'running', mostConnected: SPEAKERS })
  fleet.child.kill('SIGTERM')
  const { code, stderr } = await fleet.ended
  const report = Object(fleet.events().at(-1))
  expect({ code, stderr, problems: report.problems }).toEqual({ code: 0, stderr: '', problems: [] })
  // On a slow machine the last payments are still on their way after the 15 s that the fleet waits for them.
  const { sent, answered, heardOnce, open, lost, heardTwice, unanswered } = report.pay
  expect({ answered, accounted: heardOnce + open }).toEqual({ answered: sent, accounted: sent })
  expect({ lost, heardTwice, unanswered }).toEqual({ lost: 0, heardTwice: 0, unanswered: 0 })
  expect(report.awayS).toBeGreaterThan(0)
})

it('says that a hub is away that was stopped, and that it is back when it goes on', async () => {
  const { hub, fleet, summary } = await payingFleet('--duration', '1h', '--expect-rate', '0')
  process.kill(hub.pid(), 'SIGSTOP')
  try {
    await summary('a silent hub', ({ away }) => away?.failure === 'no answer')
  } finally {
    process.kill(hub.pid(), 'SIGCONT')
  }
  const back = await summary('a hub that answers', ({ away }) => away === null)
  expect(back.awayS).toBeGreaterThanOrEqual(5)
  fleet.child.kill('SIGTERM')
  await fleet.ended
})

it('ends and fails with every reason when the hub never comes back', async () => {
  const { hub, fleet } = await payingFleet('--payments', '100000', '--patience', '30s')
  await hub.kill()
  const { code } = await fleet.ended
  const report = Object(fleet.events().at(-1))
  expect({ code, ok: report.ok }).toEqual({ code: 1, ok: false })
  expect(report.problems).toEqual(
    expect.arrayContaining([
      `0 of ${SPEAKERS} speakers were connected at the end, ${SPEAKERS} at the most; --expect-connected is ${SPEAKERS} or more`,
      expect.stringMatching(
        /^the run ended with \d+ of 100000 payments made, because none was answered or heard for /,
      ),
      expect.stringMatching(/^\d+ payments were never answered: fetch failed: connect ECONNREFUSED /),
    ]),
  )
  expect(report.expectations).toMatchObject([
    { expect: 'connected', reached: 0, ok: false },
    { expect: 'shops', reached: SPEAKERS, ok: true },
    { expect: 'rate' },
    { expect: 'missed' },
  ])
})
