import { connect } from 'node:net'
import type { Shop } from '../../force/parts/world.ts'
import { openDevice } from '../gang/device.ts'
import { ANSWER_WITHIN_MS } from './api.ts'
import type { Open } from './newcomers.ts'

/** Speakers that connect, subscribe, are born, and leave when they are welcomed. One that is not tries only once. */
export function createNewSpeakers(shops: readonly Shop[], mqtt: string): Open {
  const { hostname: host, port } = new URL(mqtt)
  const free = [...shops]
  const welcome = async ({ serial, terminalID, key }: Shop) => {
    let last = 'its CONNECT'
    const knock = {
      connect() {
        const socket = connect({ host, port: Number(port), noDelay: true })
        return socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy()).on('error', () => undefined)
      },
      count: (what: string) => {
        last = `its ${what}`
      },
    }
    const to = { host, port: Number(port), isSecure: false }
    const device = await openDevice(knock, to, { serial, terminalID, key: key.toString('base64') }, '')
    device?.close()
    return device ? undefined : `a speaker: no welcome after ${last}`
  }
  // One that still waits does not connect a second time: the hub would end its first connection for it.
  return async () => {
    const shop = free.shift()
    if (!shop) return 'a speaker: all wait for their welcome'
    const refusal = await welcome(shop)
    free.push(shop)
    return refusal
  }
}
