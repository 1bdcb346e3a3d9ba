import { FIRMWARE } from '../../../../simulator/boxes/kinds.ts'
import type { LinkedBox } from '../../../support/boxes.ts'
import { type Line, openLine } from './line.ts'
import { pubackOf, publishOf } from './packets.ts'

/**
 * A minimal box: it confirms every message at once, and answers a payment as its kind does. `heard` is called for each
 * payment.
 */
export async function openPocketBox(
  { kind, config }: Pick<LinkedBox, 'kind' | 'config'>,
  url: string,
  heard: () => void = () => undefined,
): Promise<Line> {
  const firmware = FIRMWARE[kind]
  const { clientId, username, password, keepaliveS } = firmware.login(config)
  const topic = firmware.topic(config)
  let messageId = 1
  const line = await openLine(
    url,
    {
      ...{ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: true },
      ...{ clientId, username, password: Buffer.from(password), keepalive: keepaliveS },
    },
    topic,
    {
      publish(publishId, payload) {
        const message: Message = JSON.parse(payload.toString())
        const answer = answerOf(message, config.serial, topic)
        messageId = (messageId % 65_535) + 1
        const said = answer ? [publishOf(answer.topic, messageId, Buffer.from(answer.text))] : []
        line.send(Buffer.concat([...(publishId === 0 ? [] : [pubackOf(publishId)]), ...said]))
        if (answer || message.playAudibleMsg !== undefined) heard()
      },
    },
  )
  return line
}

interface Message {
  message_id?: string
  packet_type?: string
  params?: { id: string }
  playAudibleMsg?: string
}

/** The answer of hemipay and of alink to a payment. The others only confirm. */
function answerOf({ message_id, packet_type, params }: Message, serial: string, topic: string) {
  if (packet_type === 'payment') {
    const content = { response_status: 'success' }
    const text = JSON.stringify({ message_id, device_sn: serial, packet_type: 'rsp_payment', content })
    return { topic: `${serial}/pubmsg`, text }
  }
  if (!params) return undefined
  const data = { result: 0, error_message: 'success', task_id: params.id }
  return { topic: `${topic}_reply`, text: JSON.stringify({ id: '1', code: 200, data }) }
}
