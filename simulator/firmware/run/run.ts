import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '../../../protocol/money/language.ts'
import { systemClock } from '../../platform/clock.ts'
import { fileTrouble } from '../../platform/error-text.ts'
import { CannotStart } from '../../platform/errors.ts'
import type { Host } from '../../platform/host.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { linePrinter } from '../../run/headless/headless.ts'
import { checkBroker, portOf } from '../../run/hub/running-hub.ts'
import { canDraw } from '../../screen/terminal.ts'
import { speechImage } from '../../sound/image/image.ts'
import { loadPack } from '../../sound/pack.ts'
import { lockMemory } from '../../speaker/memory/lock.ts'
import { type DeviceLine, type DeviceOptions, FirmwareDevice } from '../device/device.ts'
import { bearSslIn, builtFirmware, speechOf } from '../emulator/build.ts'
import type { Factory } from '../emulator/factory-page.ts'
import { randomFaults } from '../modem/mischief.ts'
import { nodeNetwork } from '../modem/network.ts'
import { runControl } from './control.ts'
import { OWN_SERIAL, ownKey } from './credentials.ts'
import type { FirmwareOptions } from './options.ts'
import { openSound } from './sound.ts'
import { openScreen, type View } from './view.ts'

const SPEECH = 'speech.image'
/** The mean time between two random faults. */
const FAULT_EVERY_MS = 8_000

/** Runs the device until the first reason to stop. Throws `CannotStart`, or a `MemoryError` when its flash is in use. */
export async function runFirmware(options: FirmwareOptions, host: Host): Promise<void> {
  const { stateDir, serial = OWN_SERIAL, url, caFile, ownCaFile } = options
  const image = builtFirmware(
    stateDir,
    ownCaFile === undefined ? [] : [`BEARSSL=${bearSslIn(stateDir, host.env)}`],
  )
  makeFolder(stateDir)
  await checkBroker(url.href)
  const key = options.key ?? (await ownKey(stateDir, url.href, host.env))
  const speech = join(stateDir, SPEECH)
  if (options.voiceDir === undefined) copyFileSync(speechOf(image), speech)
  else writeFileSync(speech, speechImage(loadPack(options.voiceDir), LANGUAGES))
  const unlock = lockMemory(stateDir, serial, host.pid)
  try {
    const factory: Factory = {
      ...{ serial, key, host: url.hostname.replace(/^\[|\]$/g, ''), port: portOf(url.href) ?? 0 },
      tls: ownCaFile !== undefined ? 'firmware' : caFile !== undefined ? 'module' : 'nobody',
      ...(ownCaFile !== undefined && { authority: `${readAuthorities(ownCaFile)}` }),
    }
    const files = new Map(caFile === undefined ? [] : [['ca.pem', readAuthorities(caFile)]])
    await run({ image, folder: stateDir, factory, speech: SPEECH, files, ...SYSTEM }, options, host)
  } finally {
    unlock()
  }
}

const SYSTEM = { clock: systemClock, network: nodeNetwork }

function readAuthorities(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CannotStart(`${path}: ${fileTrouble(error)}`)
  }
}

async function run(
  given: Omit<DeviceOptions, 'onLine'>,
  options: FirmwareOptions,
  host: Host,
): Promise<void> {
  const { stdout, stdin, env } = host
  let view: View | undefined
  const tell = (line: DeviceLine) => {
    sound.line(line)
    view?.line(line)
  }
  const sound = openSound(options, given.factory.serial, env, (line) => view?.line(line))
  const device = new FirmwareDevice({
    ...given,
    onLine: tell,
    onSound: (bytes) => sound.receive(bytes),
    onTraffic: (direction, text) => view?.traffic(direction, text),
  })
  view =
    options.headless || !canDraw(stdout, env.TERM)
      ? openLines(options, host)
      : await openScreen(device, { serial: given.factory.serial, stdout, stdin, tmux: env.TMUX })
  const over = new AbortController()
  const reasons = [host.ended(), view.closed]
  if (options.control) reasons.push(runControl(device, stdin, { print: tell, signal: over.signal }))
  device.powerOn()
  const stopFaults =
    options.faultSeed === undefined
      ? undefined
      : randomFaults(device.modem, {
          ...{ clock: systemClock, seed: options.faultSeed, everyMs: FAULT_EVERY_MS },
          onFault: (what) => tell({ event: 'fault', what }),
        })
  try {
    await Promise.race(reasons)
  } finally {
    stopFaults?.()
    over.abort()
    await device.switchOff()
    await device.close()
    await sound.close()
    await view.close()
  }
}

function openLines({ at, timestamps }: FirmwareOptions, { stdout }: Host): View {
  const print = linePrinter<DeviceLine>((line) => stdout.write(line), { timestamps })
  return {
    line: (line) => print(line, Date.now()),
    traffic: (direction, text) => {
      if (at) print({ event: 'at', direction, text }, Date.now())
    },
    closed: new Promise(() => {}),
    close: async () => undefined,
  }
}
