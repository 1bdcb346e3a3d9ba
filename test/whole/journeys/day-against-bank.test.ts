import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { PREPARATION } from '../../../server/site/steps/proof.ts'
import { DAY, DAY_REQUEST, SAVE_PROFILE, SIGN, UPLOAD_REQUEST } from '../../../server/site/steps/reconcile.ts'
import { commandsOf, newcomer } from '../../support/docs/newcomer.ts'
import { fill, LANGUAGES, readPatientSample, type Step } from '../../support/samples/samples.ts'

const missing = ['bash', 'curl', 'openssl'].some((name) => spawnSync(name, ['--version']).error !== undefined)
const [curl] = LANGUAGES

it.skipIf(missing || !curl)('the quickstart leads from its payment to a day that is signed off', async () => {
  if (!curl) return
  const { copy, values, type, leaveRunning } = await newcomer()
  const [, start, partner, device, simulator] = commandsOf(PREPARATION)
  const sample = (step: Step) => type(readPatientSample(step, curl))

  await leaveRunning(start ?? '', /"event":"ready","http":"(?<HUB>[^"]+)","mqtt":"(?<MQTT>[^"]+)"/)
  copy(/(?<CLIENT_ID>sbc_\w+)[\s\S]*(?<CLIENT_SECRET>sbs_[\w-]+)/.exec(await type(partner ?? '')))
  copy(/"key":"(?<KEY>[^"]+)"/.exec(await type(device ?? '')))
  const speakerCommand = `${(simulator ?? '').replace(/KEY$/, '{{KEY}}')} --url {{MQTT}}`
  const speaker = await leaveRunning(speakerCommand, /"event":"connected"/)
  copy(/"accessToken":"(?<TOKEN>[^"]+)"/.exec(await sample('get_token')))
  await sample('show_code')
  // The newest one.
  copy(await speaker.says(/.*"event":"code","code":"(?<CODE>\d{6})"/s))
  await sample('register')
  await sample('report_payment')

  expect(await type(SAVE_PROFILE)).toContain('"saved":true')
  copy(/^\{"id":"(?<STATEMENT_ID>[^"]+)"/.exec(await type(UPLOAD_REQUEST)))
  expect((await type(DAY_REQUEST)).trim().split(/\r?\n/)).toEqual(fill(DAY, values).split('\n'))
  expect(JSON.parse(await type(SIGN))).toMatchObject({ id: values.STATEMENT_ID, unbalanced: [] })
})
