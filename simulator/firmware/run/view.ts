import type { ReadStream, WriteStream } from 'node:tty'
import { systemClock } from '../../platform/clock.ts'
import type { ExtraKey } from '../../screen/keys/keys.ts'
import { soundTimesOf } from '../../sound/clip-lengths.ts'
import { loadPack } from '../../sound/pack.ts'
import type { DeviceLine, FirmwareDevice } from '../device/device.ts'
import { deviceSource } from '../device/source.ts'

/** What shows a device. */
export interface View {
  line(line: DeviceLine): void
  traffic(direction: 'up' | 'down', text: string): void
  /** Resolves when somebody closes it. */
  closed: Promise<undefined>
  close(): Promise<void>
}

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

/** Lines of the dialogue that are shown, and how often at most. */
const MOST_DIALOGUE = 200
const DIALOGUE_EVERY_MS = 200
/** To fit every terminal. */
const LONGEST_LINE = 60

/** Draws the device with the simulator's screen, and the dialogue with the module on a page of its own. */
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
  let dialogue: string[] = []
  const showDialogue = () => {
    const lines = dialogue.slice(1 - options.stdout.rows)
    screen.update({ page: { key: 'a', label: 'AT', help: 'the dialogue with the LTE module', lines } })
  }
  showDialogue()
  let cancelShow: (() => void) | undefined
  return {
    line: source.line,
    traffic: (direction, text) => {
      const line = `${new Date().toISOString().slice(11, 23)} ${direction === 'up' ? '→' : '←'} ${text}`
      dialogue = [...dialogue, line.slice(0, LONGEST_LINE)].slice(-MOST_DIALOGUE)
      cancelShow ??= systemClock.wakeAt(systemClock.now() + DIALOGUE_EVERY_MS, () => {
        cancelShow = undefined
        showDialogue()
      })
    },
    closed: screen.closed,
    close: () => {
      cancelShow?.()
      return screen.close()
    },
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
