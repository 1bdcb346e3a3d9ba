import { expect, it, onTestFinished } from 'vitest'
import { joinCluster } from '../../../../server/cluster/postgres/cluster.ts'
import { systemClock } from '../../../../server/platform/clock.ts'
import { createRandomIds } from '../../../../server/platform/ids.ts'
import { createLog } from '../../../../server/platform/log.ts'
import { createVault } from '../../../../server/security/vault.ts'
import { openStage, type Stage } from '../../../server/delivery/stage.ts'
import { startTestPostgres } from '../../../support/postgres.ts'
import { TEST_MASTER_KEY } from '../../../support/storage.ts'
import { until } from '../../../support/wait.ts'

const postgres = await startTestPostgres()

/** A hub with its part in the cluster. */
async function openHub(url: string, beside?: Stage) {
  if (!postgres) throw new Error('skipped')
  const ids = createRandomIds()
  const hub = ids.uuid()
  const storage = await postgres.open(url, { hub })
  const cluster = await joinCluster(url, {
    ...{ hub, version: '0', vault: createVault(TEST_MASTER_KEY), ids, clock: systemClock },
    ...{ log: createLog('silent'), count: () => undefined },
  })
  onTestFinished(cluster.leave)
  const stage = await openStage({ storage, cluster, ...(beside && { beside }) })
  return { ...stage, cluster }
}

it.skipIf(!postgres)('partners and devices of two hubs on one PostgreSQL', async () => {
  const url = (await postgres?.database()) ?? ''
  const here = await openHub(url)
  const there = await openHub(url, here)
  const { clientId, speaker } = here
  const { serial } = speaker
  const kindOf = async (answer: Promise<unknown>) =>
    answer.then(
      () => 'done',
      (error) => error.kind,
    )
  expect(await kindOf(here.verbs.testAnnouncement(clientId, serial))).toBe('DEVICE_OFFLINE')
  expect(await kindOf(here.verbs.sendVerification(clientId, serial))).toBe('DEVICE_OFFLINE')

  const line = there.connect()
  const obeyUntil = (what: string, isSo: () => boolean | Promise<boolean>) =>
    until(what, async () => {
      await line.obey()
      return isSo()
    })
  await line.born()
  await obeyUntil('the birth', () => there.delivery.isConnected(serial))
  for (const { delivery } of [here, there]) expect(await delivery.presence.isConnected(serial)).toBe(true)

  // Codes of both hubs come one after another: the second one only when the first is counted.
  const sent = [here, there].map(({ verbs }) => verbs.sendVerification(clientId, serial))
  await until('a code', () => line.ofType('code').length > 0)
  const before = line.ofType('code').length
  await obeyUntil('both codes', () => line.ofType('code').length === 2)
  expect(before).toBe(1)
  await line.obey()
  expect((await Promise.all(sent)).map(({ codesRemaining }) => codesRemaining).sort()).toEqual([0, 1])

  const tested = [here, there].map(({ verbs }) => kindOf(verbs.testAnnouncement(clientId, serial)))
  const answers: string[] = []
  for (const one of tested) void one.then((kind) => answers.push(kind))
  await obeyUntil('both answers', () => answers.length === 2)
  expect(answers).toEqual(['done', 'done'])

  // The hub is gone, and has told nobody.
  await there.cluster.leave()
  expect(await here.delivery.presence.isConnected(serial)).toBe(false)
  expect(await kindOf(here.verbs.testAnnouncement(clientId, serial))).toBe('DEVICE_OFFLINE')
})
