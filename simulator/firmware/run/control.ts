import { createInterface } from 'node:readline'
import type { DeviceLine, FirmwareDevice } from '../device/device.ts'
import { isMischief, isWeather, MISCHIEF, WEATHER, without } from '../modem/mischief.ts'

/** All control lines, for error messages. */
const CONTROLS = [
  'power off|on|tear N',
  'press +|-',
  'charger on|off',
  'battery 0..100',
  `module ${Object.keys(MISCHIEF).join('|')}`,
  `module ${Object.keys(WEATHER).join('|')} on|off`,
  'quit',
]

/** Performs a control line. Returns an error message when there is no such line, 'quit' at `quit`. */
export async function control(device: FirmwareDevice, line: string): Promise<string | undefined> {
  const [verb, first = '', second = '', ...rest] = line.trim().split(/\s+/)
  const isDone = rest.length === 0 && (await act(device, verb, first, second))
  if (isDone) return undefined
  return verb === 'quit' ? 'quit' : `"${line.trim()}" is not a control line: ${CONTROLS.join(', ')}`
}

async function act(
  device: FirmwareDevice,
  verb: string | undefined,
  first: string,
  second: string,
): Promise<boolean> {
  const isSwitch = first === 'on' || first === 'off'
  if (verb === 'power' && first === 'tear' && /^[1-9]\d{0,6}$/.test(second)) {
    await device.cutPower()
    device.powerOn({ cut: Number(second) })
  } else if (verb === 'power' && first === 'off' && second === '') await device.cutPower()
  else if (verb === 'power' && first === 'on' && second === '') device.powerOn()
  else if (verb === 'press' && (first === '+' || first === '-')) device.press(first)
  else if (verb === 'charger' && isSwitch) device.setCharger(first === 'on')
  else if (verb === 'battery' && /^(\d{1,2}|100)$/.test(first)) device.setBattery(Number(first))
  else if (verb === 'module' && isMischief(first) && second === '') MISCHIEF[first](device.modem, Math.random)
  else if (verb === 'module' && isWeather(first) && /^(on|off)$/.test(second))
    device.modem.set(second === 'on' ? WEATHER[first] : without(first))
  else return false
  return true
}

/** Performs the lines of an input one after another. Resolves at `quit`; the end of the input is not the end. */
export async function runControl(
  device: FirmwareDevice,
  input: NodeJS.ReadableStream,
  { print, signal }: { print: (line: DeviceLine) => void; signal: AbortSignal },
): Promise<undefined> {
  for await (const line of createInterface({ input, signal })) {
    if (line.trim() === '') continue
    const answer = await control(device, line)
    if (answer === 'quit') return undefined
    if (answer !== undefined) print({ event: 'error', message: answer })
  }
  return new Promise(() => {})
}
