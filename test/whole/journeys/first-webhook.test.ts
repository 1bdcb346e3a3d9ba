import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { PREPARATION } from '../../../server/site/steps/proof.ts'
import { CREATE_REQUEST, CREATED, TEST_REQUEST, TRY, WATCH } from '../../../server/site/steps/webhooks.ts'
import { commandsOf, newcomer } from '../../support/docs/newcomer.ts'
import { LANGUAGES, readPatientSample, type Step } from '../../support/samples/samples.ts'
import { until } from '../../support/wait.ts'

const missing = ['bash', 'curl', 'openssl'].some((name) => spawnSync(name, ['--version']).error !== undefined)
const [curl] = LANGUAGES

it.skipIf(missing || !curl)(
  'the quickstart leads to the first webhook before the first payment, without an endpoint',
  async () => {
    if (!curl) return
    const { copy, values, type, leaveRunning } = await newcomer()
    const [install, start, partner, device, simulator, ...rest] = commandsOf(PREPARATION)
    const [listen, receive, ...others] = commandsOf(WATCH)
    expect([install, rest, others]).toEqual(['npm ci', [], []])
    const sample = (step: Step) => type(readPatientSample(step, curl))

    await leaveRunning(start ?? '', /"event":"ready","http":"(?<HUB>[^"]+)","mqtt":"(?<MQTT>[^"]+)"/)
    copy(/(?<CLIENT_ID>sbc_\w+)[\s\S]*(?<CLIENT_SECRET>sbs_[\w-]+)/.exec(await type(partner ?? '')))
    copy(/"key":"(?<KEY>[^"]+)"/.exec(await type(device ?? '')))
    // The ports of this test are free ones, as the page says it for the address of speakers.
    const speakerCommand = `${(simulator ?? '').replace(/KEY$/, '{{KEY}}')} --url {{MQTT}}`
    const speaker = await leaveRunning(speakerCommand, /"event":"connected"/)
    const listening = await leaveRunning(
      listen ?? '',
      /"event":"listening".*"secret":"(?<WEBHOOK_SECRET>whsec_[^"]+)"/,
    )
    const receiver = await leaveRunning(receive ?? '', /^Waiting for webhooks/m)

    copy(/"accessToken":"(?<TOKEN>[^"]+)"/.exec(await sample('get_token')))
    await sample('show_code')
    // The newest one.
    copy(await speaker.says(/.*"event":"code","code":"(?<CODE>\d{6})"/s))
    await sample('register')
    const first = await receiver.says(/^\{"id":"(?<id>evt_\w+)".*"type":"(?<type>[^"]+)".*$/m)
    expect(first.groups?.type).toBe('device.registered')
    // It does not wait for a receiver that stands still.
    const forwarded = '("status":204|"error":"no answer within 15 s")'
    await listening.says(new RegExp(`"event":"forwarded","id":"${first.groups?.id}".*${forwarded}`))

    // Step 6 has the same listening, and a payment to try it.
    const [again, pay] = commandsOf(TRY)
    expect(again).toBe(listen)
    await type(`${pay} --url {{HUB}}`)
    await receiver.says(/"type":"payment\.recorded".*"transactionAmount":"50000"/)
    expect(values.WEBHOOK_SECRET).toMatch(/^whsec_/)
  },
)

it.skipIf(missing || !curl)(
  'the quickstart leads to a webhook in production, which the receiver of the page takes',
  async () => {
    if (!curl) return
    const { copy, values, type, leaveRunning } = await newcomer()
    const [, start, partner] = commandsOf(PREPARATION)
    const [, receive] = commandsOf(WATCH)
    // A receiver on this machine stands for the public address.
    await leaveRunning(`HUB_WEBHOOK_ALLOW=127.0.0.1/32 ${start}`, /"event":"ready","http":"(?<HUB>[^"]+)"/)
    copy(/(?<CLIENT_ID>sbc_\w+)[\s\S]*(?<CLIENT_SECRET>sbs_[\w-]+)/.exec(await type(partner ?? '')))
    copy(/"accessToken":"(?<TOKEN>[^"]+)"/.exec(await type(readPatientSample('get_token', curl))))

    const create = CREATE_REQUEST.replace(CREATED.url, 'http://127.0.0.1:3000/webhook')
    copy(/"id":"(?<WEBHOOK_ID>wh_\w+)".*"secret":"(?<WEBHOOK_SECRET>whsec_[^"]+)"/.exec(await type(create)))
    const receiver = await leaveRunning(receive ?? '', /^Waiting for webhooks/m)
    const [test, deliveries] = TEST_REQUEST.replaceAll('{{path:', '{{').split('\n\n')
    await type(test ?? '')
    await receiver.says(new RegExp(`"type":"webhook\\.test".*"webhookId":"${values.WEBHOOK_ID}"`))
    const delivered = await until('the delivery is stored', async () => {
      const answer = await type(deliveries ?? '')
      return answer.includes('"state":"delivered"') && answer
    })
    expect(JSON.parse(delivered)).toMatchObject({
      data: [
        {
          ...{ type: 'webhook.test', state: 'delivered' },
          attempts: expect.arrayContaining([expect.objectContaining({ status: 204 })]),
        },
      ],
    })
  },
)
