import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type DeviceLine, FirmwareDevice } from '../../../simulator/firmware/device/device.ts'
import type { Factory } from '../../../simulator/firmware/emulator/factory-page.ts'
import { nodeNetwork } from '../../../simulator/firmware/modem/network.ts'
import { systemClock } from '../../../simulator/platform/clock.ts'
import type { OnEnd } from '../../support/folder.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/wait.ts'
import { firmwareIn, SPEECH } from './build.ts'

/** A module that is as quick as a test likes it. */
const TIMES = { bootMs: 100, simMs: 20, registerMs: 50, answerMs: 1 }

/** A device in the emulator, as a test sees it. */
export interface TestDevice {
  device: FirmwareDevice
  /** All that it has printed. */
  lines: DeviceLine[]
  all(event: string): DeviceLine[]
  /** What the device has sent that its module forbids. */
  mistakes(): DeviceLine[]
  /** Resolves with the first (or the nth) line of a kind. */
  next(event: string, nth?: number): Promise<DeviceLine>
  /** Bytes that the DAC has got so far. */
  heardBytes(): number
  /** The dialogue with the module, for the message of a failed test. */
  dialogue: string[]
}

interface DeviceSetup {
  serial: string
  key: string
  url: string
  /** Of the module. */
  files?: Map<string, Uint8Array>
  /** Words for the Makefile. */
  parts?: readonly string[]
  /** Default: the module for `mqtts`. The TLS of the firmware trusts `authority`, in PEM. */
  tls?: Factory['tls']
  authority?: string
}

/** The shortest time after which the firmware gives up an answer and sends its next command is 500 ms. */
const PATIENCE_MS = 400

/** Builds a device for `url`; it is without power. The end of the test switches it off. */
export async function firmwareDevice(
  { serial, key, url, files, parts, tls, authority }: DeviceSetup,
  onEnd?: OnEnd,
): Promise<TestDevice> {
  const folder = temporaryFolder(onEnd)
  const image = await firmwareIn(folder, parts)
  const { hostname, port, protocol } = new URL(url)
  const lines: DeviceLine[] = []
  const dialogue: string[] = []
  let heard = 0
  const device = new FirmwareDevice({
    ...{ image, folder, speech: SPEECH, clock: systemClock, network: nodeNetwork, times: TIMES },
    factory: {
      serial,
      key: Buffer.from(key, 'base64url'),
      host: hostname,
      port: Number(port),
      tls: tls ?? (protocol === 'mqtts:' ? 'module' : 'nobody'),
      ...(authority !== undefined && { authority }),
    },
    ...(files && { files }),
    onLine: (line) => lines.push(line),
    onSound: (bytes) => {
      heard += bytes.length
    },
    onTraffic: (direction, text) => dialogue.push(`${direction === 'up' ? '>' : '<'} ${text}`),
  })
  onEnd?.(() => device.close())
  const all = (event: string) => lines.filter((line) => line.event === event)
  // The module lives in this process. While that stands still, on a busy machine, nothing is answered.
  const stalls = monitorEventLoopDelay({ resolution: 20 })
  stalls.enable()
  onEnd?.(() => void stalls.disable())
  const mistakes = () => (stalls.max / 1e6 < PATIENCE_MS ? all('mistake') : [])
  return {
    ...{ device, lines, all, mistakes, dialogue, heardBytes: () => heard },
    next: (event, nth = 1) => until(`"${event}" number ${nth}`, () => all(event)[nth - 1]),
  }
}
