import type { ReadStream, WriteStream } from 'node:tty'
import { systemClock } from '../../platform/clock.ts'
import type { ExtraKey } from '../../screen/keys/keys.ts'
import { soundTimesOf } from '../../sound/clip-lengths.ts'
import { loadPack } from '../../sound/pack.ts'
import type { FirmwareDevice } from '../device/device.ts'
import { deviceSource } from '../device/source.ts'
import type { View } from './run.ts'

interface ScreenOptions {
  serial: string
  stdout: WriteStream
  stdin: ReadStream
  tmux: string | undefined
}

/** The most writes and erases until `t` tears one: a start of the device makes some, each payment one more. */
const TEAR_WITHIN = 6

const KEYS: readonly ExtraKey[] = [
  { key: 'o', label: 'on/off', help: 'cut the power, even in the middle of a word, or restore it' },
  {
    key: 't',
    label: 'tear',
    help: 'start it anew, and cut the power in the middle of one of its next writes',
  },
  { key: 'x', label: 'line', help: 'lose the line without a word to either side, or get it back' },
  { key: 'm', label: 'module', help: 'restart the LTE module' },
  { key: '[', label: 'quieter', help: 'the volume button "-"' },
  { key: ']', label: 'louder', help: 'the volume button "+"' },
]

/** Draws the device with the simulator's screen. Its log has the dialogue with the module in place of packets. */
export async function openScreen(device: FirmwareDevice, options: ScreenOptions): Promise<View> {
  const { renderSpeaker } = await import('../../screen/render.tsx')
  const source = deviceSource(options.serial, systemClock, soundTimesOf(loadPack(undefined)))
  const footer = () => (device.modem.faults.silence ? 'the line is lost' : '')
  const screen = renderSpeaker({
    ...options,
    speaker: source,
    extraKeys: KEYS,
    onKey: (key) => {
      void press(device, key).then(() => screen.update({ footer: footer() }))
    },
  })
  return {
    line: source.line,
    traffic: source.traffic,
    closed: screen.closed,
    close: () => screen.close(),
  }
}

async function press(device: FirmwareDevice, key: string): Promise<void> {
  switch (key) {
    case 'o':
      return device.isOn ? device.cutPower() : device.powerOn()
    case 't':
      await device.cutPower()
      return device.powerOn({ cut: 1 + Math.floor(Math.random() * TEAR_WITHIN) })
    case 'x':
      return device.modem.set({ silence: !device.modem.faults.silence })
    case 'm':
      return device.modem.reset()
    case '[':
      return device.press('-')
    case ']':
      return device.press('+')
  }
}
